// F' against f around the point that refutes an answer.

function reach(values, wanted) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const cut = Math.floor(sorted.length * 0.08); // a pole must not flatten the rest
  const some = sorted.slice(cut, sorted.length - cut).concat(wanted);
  const low = Math.min(...some), high = Math.max(...some);
  const margin = 0.12 * (high - low) || Math.abs(high) || 1;
  return [low - margin, high + margin];
}

function plot(curves) {
  const width = 520, height = 220, left = 54, right = 10, top = 22, bottom = 24;
  const xs = curves.x, [low, high] = reach(curves.f.concat(curves.F), [curves.expected, curves.got]);
  const x = (value) => left + ((value - xs[0]) / (xs.at(-1) - xs[0])) * (width - left - right);
  const y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
  const line = (values) => {
    let path = "", before = null;
    values.forEach((value, i) => {
      const out = value === null || value < low - (high - low) || value > high + (high - low);
      if (!out) path += `${before === null ? "M" : "L"}${x(xs[i]).toFixed(1)} ${y(value).toFixed(1)}`;
      before = out ? null : value;
    });
    return path;
  };
  const short = (value) => Number(value.toPrecision(3)).toString();
  const label = (kind, at, name) => drawn("text", { class: kind, x: at, y: 14 }, name);
  const names = curves.jump ? [["F", "answer F, which jumps"]] : [["f", "integrand f"], ["F", "F′ of the answer"]];
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${names.map((name) => name[1]).join(" and ")} around ${curves.variable} = ${short(curves.at)}` });
  const clip = `clip-${(plot.count = (plot.count ?? 0) + 1)}`;
  const frame = { x: left, y: top, width: width - left - right, height: height - top - bottom };
  svg.append(
    drawn("clipPath", { id: clip }, drawn("rect", frame)),
    drawn("rect", { class: "frame", ...frame }),
    drawn("line", { class: "at", x1: x(curves.at), x2: x(curves.at), y1: top, y2: height - bottom }),
    drawn("path", { class: "f", d: line(curves.f), "clip-path": `url(#${clip})` }),
    drawn("path", { class: "F", d: line(curves.F), "clip-path": `url(#${clip})` }),
    drawn("circle", { class: curves.jump ? "mark F" : "mark f", cx: x(curves.at), cy: y(curves.expected), r: 4.5 }),
    drawn("circle", { class: "mark F", cx: x(curves.at), cy: y(curves.got), r: 4.5 }),
    ...names.map(([kind, name], i) => label(kind, left + 130 * i, name)),
  );
  for (const value of [xs[0], curves.at, xs.at(-1)]) {
    svg.append(drawn("text", { class: "tick", x: x(value), y: height - 8,
      "text-anchor": value === xs[0] ? "start" : value === curves.at ? "middle" : "end" }, short(value)));
  }
  for (const value of [low, high]) {
    svg.append(drawn("text", { class: "tick", x: left - 6, y: y(value) + (value === low ? 0 : 9),
      "text-anchor": "end" }, short(value)));
  }
  return svg;
}
