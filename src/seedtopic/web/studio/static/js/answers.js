// Answers are in a file of their own, which other people and programs add to as well.

import { note } from "./messages.js";

// Says where answers are, and what became of them.
export function answersWords({ file, sentence }) {
  const place = file ? `Answers are in ${file}.` : "Answers are lost when the studio ends: start it with --answers FILE.";
  return sentence ? `${place} ${sentence}.` : place;
}

// Notes that some answers do not count here, whenever their number changes, and that the file has problems.
export function startAnswers(store) {
  let unused = 0;
  let problems = "";
  store.subscribe(({ answers }) => {
    if (answers.unused > unused) note(`${answers.sentence}.`);
    unused = answers.unused;
    const now = answers.problems.join(" ");
    if (now && now !== problems) note(now, { problem: true });
    problems = now;
  });
}
