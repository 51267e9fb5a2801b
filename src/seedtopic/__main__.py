"""``python -m seedtopic`` is the command line."""

from seedtopic.cli import main

if __name__ == "__main__":
    main()
