"""A scripted model: speaks the model APIs on the loopback interface, so that real agent CLIs run without a network."""

from .script import Fault, Refuse, Reply, Say, Script, Tokens, Use, load
from .server import ModelServer, Received

__all__ = ["Fault", "ModelServer", "Received", "Refuse", "Reply", "Say", "Script", "Tokens", "Use", "load"]
