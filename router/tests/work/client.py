"""A client of the workbench's wire, as small as one can be: it runs the commands of a JSON list and prints the answers."""
import json
import subprocess
import sys


class Workbench:
    def __init__(self, *start):
        self.process = subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, env, command):
        self.process.stdin.write(json.dumps({"env": env, "command": command}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer.get("type") == "error":
            raise RuntimeError(answer["message"])
        return answer

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


if __name__ == "__main__":
    workbench = Workbench(*sys.argv[2:])
    for env, command in json.loads(sys.argv[1]):
        print(json.dumps(workbench.run(env, command)))
    print(json.dumps({"ended": workbench.close()}))
