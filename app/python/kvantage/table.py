"""Rows of the program's JSON as a table, and as pandas or Arrow where those are installed."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence as SequenceBase
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Sequence, Union, overload

from .errors import KVantageError, MissingDependency

if TYPE_CHECKING:
    import pandas
    import pyarrow


def flat(row: Mapping[str, Any]) -> Dict[str, Any]:
    """A row without objects inside: ``{"ttft": {"mean": 1}}`` becomes ``{"ttft.mean": 1}``.

    Lists stay, and so does an empty object, as None.
    """
    result: Dict[str, Any] = {}
    for key, value in row.items():
        if not isinstance(value, Mapping):
            result[key] = value
        elif not value:
            result[key] = None
        else:
            result.update({f"{key}.{inner}": one for inner, one in flat(value).items()})
    return result


class Table(SequenceBase):
    """Rows with named columns; a cell that a row lacks is None.

    ``table["policy"]`` is a column as a list, ``table[0]`` a row as a dict. In a notebook it is shown as a table.

    Parameters
    ----------
    rows : iterable of mapping
        Objects inside become columns with dotted names, such as ``ttft_seconds.mean``.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.rows: List[Dict[str, Any]] = [flat(row) for row in rows]
        names: Dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(row))
        self.columns: List[str] = list(names)
        for row in self.rows:
            for name in self.columns:
                row.setdefault(name, None)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    @overload
    def __getitem__(self, at: int) -> Dict[str, Any]: ...

    @overload
    def __getitem__(self, at: str) -> List[Any]: ...

    @overload
    def __getitem__(self, at: slice) -> "Table": ...

    def __getitem__(self, at: Union[int, str, slice]) -> Any:
        if isinstance(at, str):
            if at not in self.columns:
                raise KeyError(f"no column '{at}'; the columns are {', '.join(self.columns) or 'none'}")
            return [row[at] for row in self.rows]
        if isinstance(at, slice):
            return Table(self.rows[at])
        return self.rows[at]

    def select(self, *columns: str) -> "Table":
        """These columns alone, in this order."""
        for name in columns:
            self[name]  # KeyError for an unknown one
        return Table({name: row[name] for name in columns} for row in self.rows)

    def where(self, **values: Any) -> "Table":
        """The rows whose columns have these values."""
        for name in values:
            self[name]
        return Table(row for row in self.rows if all(row[name] == value for name, value in values.items()))

    def to_pandas(self) -> "pandas.DataFrame":
        """As a pandas DataFrame.

        Raises
        ------
        MissingDependency
            pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise MissingDependency(
                "to_pandas: pandas is not installed; install it with pip install 'kvantage[pandas]'"
            ) from None
        return pandas.DataFrame(self.rows, columns=self.columns)

    def to_arrow(self) -> "pyarrow.Table":
        """As an Arrow table.

        Raises
        ------
        MissingDependency
            pyarrow is not installed.
        KVantageError
            A column has values of several types.
        """
        try:
            import pyarrow
        except ImportError:
            raise MissingDependency(
                "to_arrow: pyarrow is not installed; install it with pip install 'kvantage[arrow]'"
            ) from None
        columns = {}
        for name in self.columns:
            try:
                columns[name] = pyarrow.array(self[name])
            except pyarrow.ArrowException:
                raise KVantageError(
                    f"to_arrow: column '{name}' has values of several types; leave it out with select()"
                ) from None
        return pyarrow.table(columns)

    def __repr__(self) -> str:
        return text_of(self.columns, self.rows)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(row[name]))}</td>" for name in self.columns) + "</tr>"
            for row in self.rows[:_shown_rows]
        )
        more = f"<p>{len(self.rows) - _shown_rows} more rows</p>" if len(self.rows) > _shown_rows else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


_shown_rows = 60


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    return " ".join(str(value).split())


def text_of(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows in aligned columns, the first 60 of them."""
    if not columns:
        return f"{len(rows)} rows without columns"
    cells = [[_shown(row[name])[:40] for name in columns] for row in rows[:_shown_rows]]
    widths = [max([len(name)] + [len(row[i]) for row in cells]) for i, name in enumerate(columns)]
    lines = ["  ".join(name.ljust(width) for name, width in zip(columns, widths)).rstrip()]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
    if len(rows) > _shown_rows:
        lines.append(f"... {len(rows) - _shown_rows} more rows")
    return "\n".join(lines)
