"""``spanrs score``."""

from spanrs.cli.score.command import command

__all__ = ["command"]
