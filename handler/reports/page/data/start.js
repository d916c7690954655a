smallPlots();
for (const sides of document.querySelectorAll(".sides.diff")) markDifferences(sides);
const threshold = movableThreshold();
const samples = sampleTable(threshold);
sessionTable(threshold, (session) => samples && samples.show({ session }));
groupTables();
if (samples) frameDialog(samples, threshold);
const unscored = document.getElementById("show-unscored");
if (unscored && samples) {
  unscored.hidden = false;
  unscored.addEventListener("click", () => samples.show({ state: "unscored" }));
}
document.documentElement.dataset.ready = "";
