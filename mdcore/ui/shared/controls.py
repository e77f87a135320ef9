"""Settings drawn as Streamlit controls, and the values of these controls."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from mdcore.experiment.query import KernelKey, number_text
from mdcore.spaces.kernels import COEF0, DEGREE, GAMMA, GAMMA_DEFAULT, GAMMA_WORDS, KERNEL
from mdcore.spec import Choice, Param, Setting

NUMBER = "a number"
GAMMA_FROM = Choice("width", "γ from", GAMMA_DEFAULT, (*GAMMA_WORDS, NUMBER), GAMMA.help)
NO_NAMES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Controls:
    """The controls of one page, under keys that begin with its name.

    If `lasting`, values survive a visit to another page. If `typed`, numbers are entered as text, so that `inf`,
    `scale` and 0.0625 are all possible.
    """

    page: str
    lasting: bool = True
    typed: bool = False

    def key(self, *parts: str) -> str:
        """Return the session-state key of a control."""
        return " ".join((self.page, *filter(None, parts)))

    def get(self, key: str, first: Any) -> Any:
        """Return the value of a control, setting it to `first` if the control has no value yet."""
        return st.session_state.setdefault(key, first)

    def set(self, key: str, value: Any) -> None:
        """Set the value of a control that is not drawn yet in this run."""
        st.session_state[key] = value

    def value(self, setting: Setting, *owner: str) -> Any:
        """Return the value of a setting whose control is drawn elsewhere on the page."""
        return self.get(self.key(*owner, setting.name), setting.default)

    def put(self, setting: Setting, value: Any, *owner: str) -> None:
        """Set the value of a setting whose control is not drawn yet in this run."""
        self.set(self.key(*owner, setting.name), value)

    def put_toggle(self, setting: Choice, on: bool) -> None:
        """Set the state of a setting that `ask_toggle` draws."""
        self.set(self.key(setting.name), on)

    def ask(
        self,
        setting: Setting,
        *owner: str,
        first: Any = None,
        most: float = math.inf,
        names: Mapping[str, str] = NO_NAMES,
        label: str = "",
        help: str = "",
    ) -> Any:
        """Draw the control of a setting and return its value.

        `most` lowers the largest legal value of a number, `names` are shown instead of the options of a choice.
        """
        key, options = self._control(setting, owner, setting.default if first is None else first)
        label, help = label or self._label(setting), help or setting.help
        if isinstance(setting, Choice):
            written = partial(_written, names)
            return st.selectbox(label, setting.options, format_func=written, key=key, help=help, **options)
        if self.typed:
            words = " Or scale, or distance." if setting is GAMMA else ""
            help = f"{help} Legal: {setting.legal}.{words}"
            return st.text_input(label, key=key, help=help, **options).strip()
        return self._number(setting, key, label, help, most, options)

    def ask_number(self, param: Param, *owner: str, first: float) -> Any:
        """Draw a number field, even if `typed`, and return its value: no words are possible here."""
        key = self.key(*owner, param.name)
        self.get(key, first if first in param.legal else param.default)
        return self._number(param, key, self._label(param), param.help, math.inf, self._options())

    def ask_toggle(self, setting: Choice) -> bool:
        """Draw a yes/no setting as a toggle and return its state."""
        key, options = self._control(setting, (), setting.default == "1")
        return st.toggle(setting.symbol, key=key, help=setting.help, **options)

    def ask_kernel(self) -> dict[str, Any]:
        """Draw the controls of the kernel and return its query keys; parameters that a kernel lacks are not drawn."""
        left, right = st.columns(2)
        with left:
            chosen = {"kernel": self.ask(KERNEL)}
        if chosen["kernel"] == "linear":
            return chosen
        with right:
            word = self.ask(GAMMA_FROM, label=GAMMA_FROM.symbol)
        chosen["gamma"] = word
        if word == NUMBER:
            chosen["gamma"] = self.ask(GAMMA)
        if chosen["kernel"] == "poly":
            chosen |= {setting.name: self.ask(setting) for setting in (DEGREE, COEF0)}
        return chosen

    def put_kernel(self, kernel: KernelKey) -> None:
        """Set the values of the controls that `ask_kernel` draws."""
        self.put(KERNEL, kernel.name)
        self.put(DEGREE, kernel.degree)
        self.put(COEF0, kernel.coef0)
        if isinstance(kernel.gamma, str):
            self.put(GAMMA_FROM, kernel.gamma)
        else:
            self.put(GAMMA_FROM, NUMBER)
            self.put(GAMMA, float(kernel.gamma))

    def _control(self, setting: Setting, owner: tuple[str, ...], first: Any) -> tuple[str, dict[str, Any]]:
        key = self.key(*owner, setting.name)
        is_text = self.typed and isinstance(setting, Param)
        self.get(key, number_text(first) if is_text else first)
        return key, self._options()

    def _options(self) -> dict[str, Any]:
        return {"persist_state": "session"} if self.lasting else {}

    def _label(self, setting: Setting) -> str:
        if self.typed or len(setting.symbol) <= 2:
            return setting.symbol
        return setting.symbol[:1].upper() + setting.symbol[1:]

    def _number(
        self, setting: Param, key: str, label: str, help: str, most: float, options: dict[str, Any]
    ) -> float | int:
        kind = int if setting.integer else float
        low, high = setting.legal.low, setting.legal.high
        if setting.legal.open_high and math.isfinite(high):
            high -= 1 if setting.integer else 2**-10 * high
        high = min(high, most)
        if st.session_state[key] > high:  # the limit has dropped since: less memory is free
            st.session_state[key] = kind(high)
        found = st.number_input(
            label,
            min_value=kind(low) if math.isfinite(low) else None,
            max_value=kind(high) if math.isfinite(high) else None,
            step=kind(setting.slider.step or (1 if setting.integer else 0.1)),
            format=None if setting.integer else "%.4g",
            key=key,
            help=help,
            **options,
        )
        return kind(found)


def _written(names: Mapping[str, str], option: str) -> str:
    return names.get(option, option)
