smallPlots();
for (const sides of document.querySelectorAll(".sides.diff")) markDifferences(sides);
const threshold = movableThreshold();
const claims = claimIndex();
worstByKind();
const samples = sampleTable(threshold, claims);
sessionTable(threshold, (session) => samples && samples.show({ session }));
groupTables();
if (samples) frameDialog(samples, threshold, claims);
const unscored = document.getElementById("show-unscored");
if (unscored && samples) {
  unscored.hidden = false;
  unscored.addEventListener("click", () => samples.show({ state: "unscored" }));
}
document.documentElement.dataset.ready = "";
