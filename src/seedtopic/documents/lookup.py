"""Finding one document by its id or its row number."""

from __future__ import annotations

from itertools import islice

from seedtopic.base.errors import InputError
from seedtopic.documents.reader import Documents
from seedtopic.text.near_spellings import near_spellings


def find_document(documents: Documents, wanted: str) -> tuple[int, str, int]:
    """Find a document by its id, or by its row number from 0 if the documents have no ids.

    Parameters
    ----------
    documents : Documents
    wanted : str
        The id, or the row number.

    Returns
    -------
    position : int
        If several have the id, the position of the first.
    text : str
    like_it : int
        How many others have the same id.

    Examples
    --------
    >>> documents = Documents(texts=["a goal", "a bank"], rows=[{}, {}], ids=["x", "y"])
    >>> find_document(documents, "y")
    (1, 'a bank', 0)
    """
    if documents.ids is not None:
        ids = list(documents.ids)
        if wanted not in ids:
            near = near_spellings(wanted, dict.fromkeys(ids, 1)) or ids[:3]
            raise InputError(
                f"no document has the id {wanted!r}: the ids are {', '.join(map(repr, near))}, ..."
            )
        position, like_it = ids.index(wanted), ids.count(wanted) - 1
    else:
        last = len(documents) - 1
        if not (wanted.isascii() and wanted.isdigit() and int(wanted) <= last):
            raise InputError(
                f"the documents have no ids, and {wanted!r} is not a row number: give one from 0 to {last}, "
                "or name the column of the ids with --id-field."
            )
        position, like_it = int(wanted), 0
    return position, next(islice(documents.texts, position, None)), like_it
