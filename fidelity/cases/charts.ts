/** Charts and diagrams drawn and animated by scripts. */

import type { FidelityCase } from "../case.ts";
import { page, sections } from "./parts.ts";

const below = `<main>${sections(2)}</main>`;

export const chartCases: FidelityCase[] = [
  {
    name: "chartjs",
    about: "the bar chart of the library's guide",
    html: () =>
      page(
        `<script src="/npm/chart.js/dist/chart.umd.js"></script>`,
        `<main><canvas id="myChart"></canvas></main>${below}<script>new Chart(document.getElementById("myChart"), { type: "bar", data: { labels: ["Red", "Blue", "Yellow", "Green", "Purple", "Orange"], datasets: [{ label: "# of Votes", data: [12, 19, 3, 5, 2, 3], borderWidth: 1 }] }, options: { scales: { y: { beginAtZero: true } } } })</script>`,
      ),
  },
  {
    name: "chartjs-delayed",
    held: true,
    about: "several charts, one below the fold, each bar later than the one before, as the library's samples do",
    html: () =>
      page(
        `<script src="/npm/chart.js/dist/chart.umd.js"></script>`,
        `<main><canvas class="chart"></canvas><canvas class="chart"></canvas><canvas class="chart"></canvas></main><script>
        document.querySelectorAll(".chart").forEach((canvas, chart) => { new Chart(canvas, { type: ["bar", "line", "doughnut"][chart], data: { labels: ["January", "February", "March", "April", "May", "June"], datasets: [{ label: "Dataset 1", data: [65, 59, 80, 81, 56, 55] }, { label: "Dataset 2", data: [28, 48, 40, 19, 86, 27] }] }, options: { animation: { delay: (context) => context.type === "data" ? context.dataIndex * 150 + context.datasetIndex * 100 : 0 } } }) })</script>`,
      ),
  },
  {
    name: "echarts",
    held: true,
    about: "the first chart of the library's handbook",
    html: () =>
      page(
        `<script src="/npm/echarts/dist/echarts.js"></script>`,
        `<main><div id="main" style="width: 600px; height: 400px"></div><div id="pie" style="width: 600px; height: 400px"></div></main>${below}<script>
        echarts.init(document.getElementById("main")).setOption({ title: { text: "ECharts Getting Started Example" }, tooltip: {}, legend: { data: ["sales"] }, xAxis: { data: ["Shirts", "Cardigans", "Chiffons", "Pants", "Heels", "Socks"] }, yAxis: {}, series: [{ name: "sales", type: "bar", data: [5, 20, 36, 10, 10, 20] }] });
        echarts.init(document.getElementById("pie")).setOption({ series: [{ type: "pie", radius: ["40%", "70%"], data: [{ value: 1048, name: "Search Engine" }, { value: 735, name: "Direct" }, { value: 580, name: "Email" }] }] });</script>`,
      ),
  },
  {
    name: "apexcharts",
    held: true,
    about: "the chart of the library's README, and an area chart",
    html: () =>
      page(
        `<script src="/npm/apexcharts/dist/apexcharts.min.js"></script>`,
        `<main><div id="chart"></div><div id="area"></div></main>${below}<script>
        new ApexCharts(document.querySelector("#chart"), { chart: { type: "bar" }, series: [{ name: "sales", data: [30, 40, 35, 50, 49, 60, 70, 91, 125] }], xaxis: { categories: [1991, 1992, 1993, 1994, 1995, 1996, 1997, 1998, 1999] } }).render();
        new ApexCharts(document.querySelector("#area"), { chart: { type: "area", height: 350 }, series: [{ name: "a", data: [31, 40, 28, 51, 42, 109, 100] }, { name: "b", data: [11, 32, 45, 32, 34, 52, 41] }] }).render();</script>`,
      ),
  },
  {
    name: "d3",
    held: true,
    about: "bars that grow by d3-transition",
    html: () =>
      page(
        `<script src="/npm/d3/dist/d3.min.js"></script>`,
        `<main><svg width="640" height="400"></svg></main>${below}<script>
        const data = [0.08, 0.015, 0.028, 0.043, 0.127, 0.022, 0.02, 0.061, 0.07, 0.024]; const x = d3.scaleBand(d3.range(data.length), [40, 620]).padding(0.1); const y = d3.scaleLinear([0, d3.max(data)], [370, 20]); const svg = d3.select("svg");
        svg.append("g").attr("transform", "translate(0,370)").call(d3.axisBottom(x)); svg.append("g").attr("transform", "translate(40,0)").call(d3.axisLeft(y));
        svg.append("g").attr("fill", "steelblue").selectAll("rect").data(data).join("rect").attr("x", (_, i) => x(i)).attr("width", x.bandwidth()).attr("y", 370).attr("height", 0).transition().duration(750).delay((_, i) => i * 50).attr("y", (d) => y(d)).attr("height", (d) => 370 - y(d));</script>`,
      ),
  },
  {
    name: "mermaid",
    held: true,
    about: "the diagrams of the library's README",
    html: () =>
      page(
        "",
        `<main><pre class="mermaid">flowchart LR
A[Hard] -->|Text| B(Round)
B --> C{Decision}
C -->|One| D[Result 1]
C -->|Two| E[Result 2]</pre><pre class="mermaid">sequenceDiagram
Alice->>John: Hello John, how are you?
loop HealthCheck
    John->>John: Fight against hypochondria
end
Note right of John: Rational thoughts!
John-->>Alice: Great!
John->>Bob: How about you?
Bob-->>John: Jolly good!</pre><pre class="mermaid">pie
"Dogs" : 386
"Cats" : 85.9
"Rats" : 15</pre></main>${below}<script type="module">import mermaid from "/npm/mermaid/dist/mermaid.esm.min.mjs"; mermaid.initialize({ startOnLoad: true })</script>`,
      ),
  },
];
