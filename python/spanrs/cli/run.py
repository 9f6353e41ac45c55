"""Runs a command and reports errors as one line and an exit status."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

import click

from spanrs.cli._generated import READ_ARGUMENTS
from spanrs.errors import SpanrsError, SpanrsWarning, escaped

#: Settings of ``spanrs`` and ``MATScore``.
CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "show_default": True}


#: Options by the arguments of :func:`spanrs.read`; messages of the library contain the names of the arguments.
OPTIONS = {argument: option for _, argument, option in READ_ARGUMENTS}
#: Further options by names that are no English words.
OTHER_OPTIONS = {"pred_scheme": "--pred-scheme", "file_re": "--file-re"}
#: An argument name followed by "=" without a value, or at the start of the message "... does not apply to ...".
_NAMED = re.compile(
    rf"\b({'|'.join(OPTIONS)})(?:=(?=[,;\s]|$)| (?=does not apply to ))|\b({'|'.join(OTHER_OPTIONS)})\b(?!:)"
)
#: Minimum similarity of an option that is suggested for an unknown one.
SIMILAR = 0.75


#: The error for a missing subcommand; click before 8.2 prints the help itself.
_NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
#: Exit status if the reader of standard output has closed the pipe, as for a process terminated by SIGPIPE.
CLOSED_PIPE = 128 + 13


class Terminated(BaseException):
    """The process received a termination signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def ended_by_exception() -> Iterator[None]:
    """Raise an exception on SIGTERM and SIGHUP, so that temporary files are removed before the process ends."""

    def terminate(number: int, _frame: FrameType | None) -> None:
        raise Terminated(number)

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP; ignored signals (nohup) stay ignored; only the main thread can set handlers.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            with contextlib.suppress(ValueError):
                before[number] = signal.signal(number, terminate)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(command: click.Command, args: list[str] | None = None, name: str = "spanrs") -> int:
    """Run a command under a name; return the exit status."""
    if sys.stdout is None:
        return _fail("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # File names may contain undecodable bytes.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        # `command.main` would handle broken pipes itself.
        arguments = sys.argv[1:] if args is None else list(args)
        with (
            ended_by_exception(),
            _printed_warnings(),
            command.make_context(name, arguments) as context,
        ):
            command.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except _NO_ARGUMENTS as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        where: click.Context | None = getattr(error, "ctx", None)
        message = _usage_message(error)
        see = " See" if message.endswith("?") else "; see"
        return _fail(message + (f"{see} {where.command_path} --help" if where else ""))
    except BrokenPipeError:
        # The reader, such as head, has closed the pipe. Python would report this again when flushing at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except (SpanrsError, ValueError, ImportError, OSError) as error:
        # Import errors name the missing package and how to install it.
        return _fail(describe(error))
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", 130)
    except Terminated as ended:
        # The parent process sees that the signal terminated the process, as without a handler.
        os.kill(os.getpid(), ended.number)
        return 128 + ended.number
    except MemoryError:
        return _fail("not enough memory")
    return 0


@contextlib.contextmanager
def _printed_warnings() -> Iterator[None]:
    """Print each :class:`SpanrsWarning` as one line; other warnings are unchanged."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", SpanrsWarning)
        usual = warnings.showwarning
        # A file may be read several times (for several systems, or as both sides); print its warnings once.
        printed = set()

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, SpanrsWarning):
                usual(message, category, *place, **more)
            elif str(message) not in printed:
                printed.add(str(message))
                print_message("warning", str(message))

        warnings.showwarning = show
        yield


def print_message(kind: str, message: str) -> None:
    """Print an error, a warning or a note as one line on standard error; arguments are named as options."""
    click.echo(f"spanrs: {kind}: {escaped(_with_options(' '.join(message.splitlines())))}", err=True)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Report a TypeError, raised for contradictory sides and options, as a usage error."""
    try:
        yield
    except TypeError as error:
        raise click.UsageError(describe(error)) from error


def _usage_message(error: click.ClickException) -> str:
    """Return the message of an error; for an unknown option, with options of similar spelling, best first."""
    if not isinstance(error, click.NoSuchOption):
        return error.format_message().rstrip(".")
    # Lazy: rarely used.
    from difflib import get_close_matches

    params = [] if error.ctx is None else error.ctx.command.get_params(error.ctx)
    names = [name.lstrip("-") for param in params for name in param.opts if name.startswith("--")]
    similar = get_close_matches(error.option_name.lstrip("-"), names, cutoff=SIMILAR)
    hint = f"; did you mean {' or '.join(f'--{name}' for name in similar)}?" if similar else ""
    return f"there is no option {error.option_name}{hint}"


def describe(error: Exception) -> str:
    """Format an error for the command line, with the file name of an OSError."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return f"{error.filename or repr('')}: {reason}" if error.filename is not None else reason
    return str(error)


def _with_options(message: str) -> str:
    """Replace the names of arguments by those of options."""

    def option(match: re.Match[str]) -> str:
        name = OPTIONS[match[1]] if match[1] else OTHER_OPTIONS[match[2]]
        return name + (" " if match[0].endswith(" ") else "")

    return _NAMED.sub(option, message)


def _fail(message: str, status: int = 2) -> int:
    print_message("error", message)
    return status
