/** Photographs for the benchmark's pages, from packages that contain some. */

const kit = "/npm/material-kit/assets/img";
const creative = "/npm/startbootstrap-creative/dist/assets/img/portfolio/fullsize";

const middling = [
  ...["olu-eletu", "studio-1", "studio-2", "studio-3", "studio-4", "studio-5", "cynthia-del-rio", "mariya-georgieva"].map(
    (name) => `${kit}/examples/${name}.jpg`,
  ),
  ...["card-profile1-square", "card-profile2-square", "card-profile4-square", "camp"].map((name) => `${kit}/faces/${name}.jpg`),
  ...[1, 2, 3, 4, 5, 6].map((number) => `${creative}/${number}.jpg`),
];
const large = ["bg", "bg2", "bg3", "bg7", "city", "landing", "profile", "city-profile", "profile_city"].map((name) => `${kit}/${name}.jpg`);

/** URL of the `index`th photograph of about 100 kB; unique, although files repeat. */
export function photograph(index: number): string {
  return `${middling[index % middling.length]}?n=${index}`;
}

/** Like `photograph`, of 100 to 600 kB. */
export function largePhotograph(index: number): string {
  return `${large[index % large.length]}?n=${index}`;
}
