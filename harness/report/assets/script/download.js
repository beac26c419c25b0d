// The rows that fit the filters, whole, as a CSV file.
const cell = (value) => (/[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

async function download(table, items) {
  const lines = [table.header()];
  const rows = new Map(); // read in the order of the chunks, written in that of the table
  for (const item of [...items].sort((a, b) => a.place - b.place)) rows.set(item, await table.record(item));
  for (const item of items) lines.push(rows.get(item));
  const text = lines.map((line) => `${line.map(cell).join(",")}\n`).join("");
  const link = element("a", { download: `${table.unit}.csv`,
    href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
