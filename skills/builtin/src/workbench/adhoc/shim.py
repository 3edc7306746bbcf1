"""Is one environment of the project: loads its module, checks what it offers, and does what it is told, a JSON object a line."""
import importlib.util
import inspect
import json
import os
import signal
import sys
import traceback

asked = os.fdopen(os.dup(0), "r", encoding="utf-8")
told = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
path, project = sys.argv[1], sys.argv[2]


def tell(**record):
    told.write(json.dumps(record) + "\n")
    told.flush()


def problem(offered):
    for name, takes in (("handle_command", 1), ("get_screen", 0)):
        method = getattr(offered, name, None)
        if not callable(method):
            return f"Missing required method: {name}"
        parameters = list(inspect.signature(method).parameters.values())[1:]
        needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if len(needed) > takes or len(parameters) < takes:
            return f"Wrong parameters of {name}: it takes {takes} beside self"
    return None


def load():
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("environment", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["environment"] = module
    spec.loader.exec_module(module)
    own = [c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == "environment"]
    fitting = [c for c in own if problem(c) is None]
    if not fitting:
        near = [c for c in own if hasattr(c, "handle_command") or hasattr(c, "get_screen")]
        if not (near or own):
            raise LookupError("No class in it: an environment is a class with handle_command and get_screen")
        raise LookupError(problem((near or own)[0]))
    takes = inspect.signature(fitting[0]).parameters
    return fitting[0](project) if takes else fitting[0]()


def screen(environment):
    content = environment.get_screen()
    content = content.get("content", "") if isinstance(content, dict) else content
    return str(content)


try:
    environment = load()
    tell(ready=True, screen=screen(environment))
except LookupError as error:
    tell(ready=False, problem=str(error))
    sys.exit(0)
except BaseException as error:
    tell(ready=False, problem=f"It can't be loaded: {type(error).__name__}: {error}")
    sys.exit(0)
signal.signal(signal.SIGINT, signal.SIG_IGN)
for line in asked:
    order = json.loads(line)
    answer = {}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if "command" in order:
            given = environment.handle_command(order["command"])
            given = given if isinstance(given, dict) else {"output": str(given)}
            answer["output"] = str(given.get("output", ""))
            answer["processed"] = bool(given.get("processed", True))
        answer["screen"] = screen(environment)
    except BaseException:
        answer["failed"] = traceback.format_exc()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    tell(**answer)
if callable(getattr(environment, "shutdown", None)):
    environment.shutdown()
