"""Every error that ksame raises on purpose.

    KsameError                      the base; never raised itself
    ├── InputError (ValueError)     an argument breaks a rule                        exit 2
    ├── GuaranteeError (ValueError) k-anonymity cannot be met; nothing is released   exit 4
    ├── MediaError                  a file cannot be read or written as asked
    ├── WeightsError                a weight file is missing, truncated or altered
    ├── VaultError                  a vault is cut, altered or old, or the key is not its key
    └── VerificationError           a written release breaks one of its claims       exit 1
    KsameWarning (UserWarning)      the base of what ksame warns about
    ├── NoGuaranteeWarning          the method or option chosen gives no guarantee
    └── MixedPeopleWarning          names of people seem to stand for several people each

Messages state the value, the rule and the remedy. They never hold a person's name, a pixel,
an embedding or a key.
"""


class KsameError(Exception):
    """Base of all errors that ksame raises on purpose."""


class InputError(KsameError, ValueError):
    """An argument breaks a rule; the message names value, rule and remedy."""


class GuaranteeError(KsameError, ValueError):
    """The guarantee cannot be met for this set: nothing may be released."""


class MediaError(KsameError):
    """A file cannot be read or written; the message names the file, the rule and the remedy."""


class WeightsError(KsameError):
    """A weight file is missing, truncated or altered; the message names the command to run."""


class VaultError(KsameError):
    """A vault does not open: it was cut, altered or put back, or this is not its key."""


class VerificationError(KsameError):
    """A written release breaks one of its claims."""


class KsameWarning(UserWarning):
    """Base of all warnings that ksame gives."""


class NoGuaranteeWarning(KsameWarning):
    """What was asked for gives no privacy guarantee."""


class MixedPeopleWarning(KsameWarning):
    """A name seems to stand for several people, so that k would count too many."""
