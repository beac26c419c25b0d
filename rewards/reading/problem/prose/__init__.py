"""The prose of a question, apart from formulas, for all kinds of questions.

`vocabulary` has the words, and `words` finds and removes the words. `languages` has the words of
questions in other languages than English, `frame` removes numbers,
titles and hints around a question, and `instructions` the sentences of a prompt on the response.
"""

from .frame import options_of as options_of
from .frame import without_frame as without_frame
from .instructions import is_manner as is_manner
from .instructions import without_instructions as without_instructions
from .languages import foreign_phrases as foreign_phrases
from .languages import foreign_words as foreign_words
from .languages import unspaced_words as unspaced_words
from .vocabulary import COMMON as COMMON
from .vocabulary import INSTRUCTIONS as INSTRUCTIONS
from .vocabulary import ORDINALS as ORDINALS
from .vocabulary import POWER_SERIES as POWER_SERIES
from .vocabulary import SUBSTITUTION as SUBSTITUTION
from .vocabulary import TABLE as TABLE
from .words import phrases as phrases
from .words import says as says
from .words import states_kind as states_kind
from .words import without_asides as without_asides
from .words import without_words as without_words
