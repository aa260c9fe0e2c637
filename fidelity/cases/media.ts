/** Players: their poster or first frame with their controls. */

import type { FidelityCase } from "../case.ts";
import { photograph } from "../site/photographs.ts";
import { page, sections } from "./parts.ts";

const video = "/npm/startbootstrap-new-age/dist/assets/img/demo-screen.mp4";
const between = `<main>${sections(3)}</main>`;

export const mediaCases: FidelityCase[] = [
  {
    name: "videojs",
    about: "the player of the library's README, at the top and below the fold",
    html: () => {
      const player = (id: string) =>
        `<video id="${id}" class="video-js" controls preload="auto" width="640" height="360" poster="${photograph(2)}" data-setup="{}"><source src="${video}" type="video/mp4"></video>`;
      return page(
        `<link rel="stylesheet" href="/npm/video.js/dist/video-js.min.css"><script src="/npm/video.js/dist/video.min.js"></script>`,
        `<main>${player("first")}</main>${between}<main>${player("second")}</main>`,
      );
    },
  },
  {
    name: "plyr",
    held: true,
    about: "the player of the library's README with a poster",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/plyr/dist/plyr.css"><script src="/npm/plyr/dist/plyr.js"></script>`,
        `${between}<main><video id="player" playsinline controls data-poster="${photograph(4)}"><source src="${video}" type="video/mp4"></video></main><script>const player = new Plyr("#player", { iconUrl: "/npm/plyr/dist/plyr.svg" })</script>`,
      ),
  },
  {
    name: "leaflet",
    held: true,
    about: "the map of the library's guide; its tiles fade in",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/leaflet/dist/leaflet.css"><script src="/npm/leaflet/dist/leaflet.js"></script>`,
        `<div id="map" style="height: 400px"></div>${between}<script>var map = L.map("map", { scrollWheelZoom: false }).setView([51.505, -0.09], 13); L.tileLayer("/photographs/{x}.jpg?after=150&z={z}&y={y}").addTo(map); L.marker([51.5, -0.09]).addTo(map).bindPopup("A pretty CSS popup.<br> Easily customizable.").openPopup();</script>`,
      ),
  },
];
