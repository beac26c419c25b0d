"""Where the command line begins: also an interrupt while it is being imported is no traceback."""

import sys


def main() -> None:
    try:
        from .cli.main import main as run
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
