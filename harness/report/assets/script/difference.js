// The difference of two answers, by the symbols of LaTeX.
const MOST_SYMBOLS = 1500;
// Texts with less in common differ as a whole.
const LEAST_COMMON = 0.25;
const symbols = (latex) => latex.match(/\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|[^]/gu) ?? [];

// For each text its parts: [symbols, whether the other text lacks them].
function difference(left, right) {
  const one = symbols(left), other = symbols(right);
  if (Math.max(one.length, other.length) > MOST_SYMBOLS) return [[[left, false]], [[right, false]]];
  // lengths[i][j]: of the longest common subsequence of one from i on and other from j on
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i][j] = one[i] === other[j] ? lengths[i + 1][j + 1] + 1
        : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const most = Math.max(one.length, other.length);
  if (lengths[0][0] < LEAST_COMMON * most) return [[[left, true]], [[right, true]]];
  const sides = [[], []];
  const add = (side, text, own) => {
    const last = sides[side].at(-1);
    if (last && last[1] === own) last[0] += text;
    else sides[side].push([text, own]);
  };
  let i = 0, j = 0;
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      add(0, one[i++], false);
      add(1, other[j++], false);
    } else if (j >= other.length || (i < one.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      add(0, one[i++], true);
    } else {
      add(1, other[j++], true);
    }
  }
  return sides;
}

const marked = (parts) => element("code", { class: "latex" },
  ...parts.map(([text, own]) => (own ? element("mark", {}, text) : text)));
