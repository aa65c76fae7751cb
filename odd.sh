. /work/tmp/hard/env.sh
rm -rf /work/tmp/hard/o_*
.venv/bin/python -m ksame.cli.app deidentify /work/tmp/hard/odd -o /work/tmp/hard/o_1 -k 5 --seed 1 --persons folder --jobs 1; echo "exit $?"
.venv/bin/python -m ksame.cli.app verify /work/tmp/hard/o_1 --ledger /work/tmp/hard/o_1.ledger.json; echo "verify $?"
