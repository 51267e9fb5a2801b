"""What people have said of the documents of a command: read, added to the ledger, told in one sentence."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from seedtopic.answers import readers
from seedtopic.answers.ledger import Answers, ledger_of
from seedtopic.answers.resolved import Resolved
from seedtopic.base.errors import InputError
from seedtopic.base.wording import number_of
from seedtopic.cli.console import Terminal, note
from seedtopic.cli.options import AnswersFile, Confirmed, Source
from seedtopic.io.rows import Rows
from seedtopic.seeds.names import Names, written


@dataclass(frozen=True, kw_only=True)
class Answered:
    """Where answers about the documents are, and which files bring more of them."""

    confirmed: Confirmed = None
    answers: AnswersFile = None

    @property
    def column(self) -> str | None:
        """The column among what --confirmed names; the others are files."""
        columns = [name for name in self.confirmed or () if readers.column_of(name) is not None]
        if len(columns) > 1:
            raise InputError(
                f"--confirmed names the columns {columns[0]!r} and {columns[1]!r}: name one column; the "
                "others must be files."
            )
        return columns[0] if columns else None

    @property
    def files(self) -> list[str]:
        """The files among what --confirmed names."""
        return [name for name in self.confirmed or () if readers.column_of(name) is None]

    def ledger(self, docs: str) -> Answers:
        """Read the answers about documents; where no file belongs to them, answers are not kept."""
        ledger = ledger_of(docs, self.answers)
        return Answers() if ledger is None else ledger

    def collect(
        self, source: Source, documents: Rows, names: Names, terminal: Terminal
    ) -> tuple[Answers, Resolved]:
        """Add what files and columns bring to the ledger, and find what all answers come to."""
        ledger, name, several = self.ledger(source.docs), Path(source.docs).name, len(self.files) > 1
        brought = [
            (file, readers.answers_of_file(file, documents, names, by=Path(file).stem if several else ""))
            for file in self.files
        ]
        if self.column is not None:
            values = readers.answers_of_column(documents, self.column, names, name=name)
            brought.append((f"the column {self.column!r}", values))
        if self.column is None or self.column not in documents.columns:
            brought.append((name, readers.answers_beside(documents, names, name=name)))
        for where, new in brought:
            for problem in new.problems:
                note(problem)  # despite --quiet, since answers are not used
            if new.left_empty:
                n_rows = new.left_empty + len(new.answers)
                terminal.note(
                    f"{new.left_empty:,} of {n_rows:,} documents in {where} are not checked: the others are "
                    "taken for a random part of the sample; without the difficult ones, the estimates are "
                    "too high"
                )
            known = {answer.text for answer in ledger if answer.text}
            earlier = [answer for answer in new.earlier if answer.text and answer.text not in known]
            count = ledger.add([*new.answers, *earlier], once=True)
            if new.changes:
                today = {text: written(label) for text, label in ledger.verdicts(names).items()}
                still = [answer for answer in new.changes if today.get(answer.text) == answer.predicted]
                count += ledger.add(still) + ledger.add(new.changes, once=True)
            if count:
                end = f", kept in {ledger.path}"
                if ledger.path is None:
                    end = "; not kept: name a file for answers with --answers"
                terminal.note(f"{number_of(count, 'new answer')} from {where}{end}")
        for problem in ledger.problems:
            note(problem)  # despite --quiet, since an answer is not used
        outcome = ledger.matching(documents.texts, documents.ids, names)
        if len(outcome):
            (note if outcome.lost else terminal.note)(outcome.sentence())
        return ledger, outcome


def refuse_to_lose(output: str | None, source: Source, answered: Answered) -> None:
    """Refuse an output that would replace a file with answers that are nowhere else."""
    if output is None or output == "-" or not os.path.isfile(output):
        return
    ledger = answered.ledger(source.docs)
    own = [] if ledger.path is None else [str(ledger.path)]
    for file in (*answered.files, *own):
        if os.path.exists(file) and os.path.samefile(file, output):
            raise InputError(f"{output} holds answers and would be overwritten: name another file with -o.")
    if unread := readers.unread_answers(output, ledger):
        raise InputError(
            f"{output} holds {number_of(unread, 'answer')} that would be overwritten: give it with "
            f"--confirmed {output} and name another file with -o."
        )
