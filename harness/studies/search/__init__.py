"""The search for problems that a model fails: variants of SAGGA (Welleck et al., section 2.5)."""

from .sagga import search, search_spec
from .settings import SearchSettings, preset_names, search_settings

__all__ = ["SearchSettings", "preset_names", "search", "search_settings", "search_spec"]
