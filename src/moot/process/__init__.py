"""The only place a process is born: short commands, adoptable jobs, the sandbox."""
