"""`python -m tools.synthetic_people`."""

from tools.synthetic_people.make import main

main()
