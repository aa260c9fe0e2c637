"""Client of Tintype, the self-hosted website-screenshot service."""

from .asynchronous import AsyncTintype
from .errors import TintypeError
from .synchronous import Tintype
from .taken import Taken

__all__ = ["AsyncTintype", "Taken", "Tintype", "TintypeError"]
