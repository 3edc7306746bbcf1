"""Runs what it is told, one JSON object a line, in one namespace; tells how each ended on its first stdout."""
import ast
import json
import linecache
import os
import signal
import site
import sys
import traceback
import types

# Only now: no file of the project stands in for a module that this one needs.
sys.path[:0] = [os.getcwd()]
sys.path.append(site.getusersitepackages())
asked = os.fdopen(os.dup(0), "r", encoding="utf-8")
told = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.stdin = open(0, encoding="utf-8", closefd=False)
sys.stdout = open(1, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)
sys.stderr = open(2, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)

HERE = (lambda: 0).__code__.co_filename
main = types.ModuleType("__main__")
sys.modules["__main__"] = main
space = main.__dict__
recent = []
WIDTH, MOST = 80, 48
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset)
# How many seconds of the processor the values of one screen may take, and each of them once these are over.
ALL, LEAST = 1.0, 0.01
left = ALL


def tell(**record):
    told.write(json.dumps(record) + "\n")
    told.flush()


class TooLong(BaseException):
    """The text of a value is too long for the screen, or takes too long."""


def too_long(*_):
    raise TooLong


def brief(value, room=WIDTH):
    """repr(value), if that is one line of at most `room` characters. Of a large value no more than that is looked at."""
    if room < 1:
        raise TooLong
    kind = type(value)
    if kind in (list, tuple, dict) and value:
        parts, rest = [], room - 2
        for item in value.items() if kind is dict else value:
            part = f"{brief(item[0], rest)}: {brief(item[1], rest)}" if kind is dict else brief(item, rest)
            parts.append(part)
            rest -= len(part) + 2
        text = ", ".join(parts) + ("," if kind is tuple and len(parts) == 1 else "")
        text = f"[{text}]" if kind is list else f"({text})" if kind is tuple else f"{{{text}}}"
    elif isinstance(value, SIZED) and len(value) > room:
        raise TooLong
    elif isinstance(value, int) and value.bit_length() > 4 * WIDTH:
        raise TooLong
    else:
        text = repr(value)
    if len(text) > room or "\n" in text:
        raise TooLong
    return text


def in_time(value):
    """The same, or TooLong when it takes more than what is left of the time."""
    global left
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, max(left, LEAST))
        return brief(value)
    finally:
        left = signal.setitimer(signal.ITIMER_VIRTUAL, 0)[0]


def shown(name):
    value = space[name]
    kind = type(value).__name__
    if callable(value):
        return f"{name}: {'class' if isinstance(value, type) else 'function'}"
    try:
        return f"{name} = {in_time(value)}"
    except TooLong:
        pass
    except (Exception, SystemExit) as error:
        return f"{name} = <{kind} whose repr fails: {type(error).__name__}>"
    try:
        return f"{name}: {kind} ({len(value)} items)"
    except Exception:
        return f"{name}: {kind}"


def is_shown(name):
    return name in space and not name.startswith("_") and not isinstance(space[name], types.ModuleType)


def variables():
    global left
    left = ALL
    signal.signal(signal.SIGVTALRM, too_long)
    names = [name for name in recent if is_shown(name)]
    names += [name for name in reversed(list(space)) if is_shown(name) and name not in names]
    lines = [shown(name) for name in names[:MOST]]
    if len(names) > MOST:
        lines.append(f"... [{len(names) - MOST} more]")
    return "\n".join(lines) or "(no variables)"


def run(source, name):
    tree = ast.parse(source, name)
    used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, name, "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), space)
            if value is not None:
                space["_"] = value
                print(repr(value))
    finally:
        used += [name for name in space if name not in recent]
        recent[:] = list(dict.fromkeys(used)) + [name for name in recent if name not in used]


signal.signal(signal.SIGINT, signal.SIG_IGN)
tell(variables=variables())
for number, line in enumerate(asked, 1):
    source, name = json.loads(line)["code"], f"<command {number}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            run(source, name)
        except SystemExit:
            raise
        except BaseException as error:
            # Without the lines of this file.
            tail = error.__traceback__
            while tail is not None and tail.tb_frame.f_code.co_filename == HERE:
                tail = tail.tb_next
            traceback.print_exception(type(error), error, tail)
        finally:
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except Exception:
                    pass
        # An interrupt ends this, too.
        panel = variables()
    except SystemExit:
        raise
    except BaseException as error:
        panel = f"(the variables can't be shown: {type(error).__name__})"
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell(variables=panel)
