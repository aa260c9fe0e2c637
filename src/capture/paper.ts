/** The layout of a PDF's pages. Pure. */

/** Width and height in inches. */
const papers = {
  A0: [33.11, 46.81],
  A1: [23.39, 33.11],
  A2: [16.54, 23.39],
  A3: [11.69, 16.54],
  A4: [8.27, 11.69],
  A5: [5.83, 8.27],
  A6: [4.13, 5.83],
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
  Ledger: [17, 11],
} as const;

type PaperName = keyof typeof papers;
export const paperNames = Object.keys(papers) as [PaperName, ...PaperName[]];

export const pixelsPerInch = 96;
const perInch: Record<string, number> = { px: pixelsPerInch, in: 1, cm: 2.54, mm: 25.4, pt: 72 };

/** Lengths in inches, as Chromium's `Page.printToPDF` expects. */
export interface Layout {
  landscape: boolean;
  paperWidth: number;
  paperHeight: number;
  marginTop: number;
  marginRight: number;
  marginBottom: number;
  marginLeft: number;
}

interface PaperOptions {
  pdf_paper?: PaperName | undefined;
  pdf_width?: string | undefined;
  pdf_height?: string | undefined;
  pdf_margin?: string | undefined;
  pdf_landscape?: boolean | undefined;
}

/** @param length a number with one of the units px, in, cm, mm and pt. */
export function inches(length: string): number {
  return Number.parseFloat(length) / (perInch[length.replace(/^[\d.]+/, "")] ?? Number.NaN);
}

/** Landscape swaps the sides of any size, even one that is already wider than it is tall, such as Ledger. */
export function layoutOf({ pdf_paper = "A4", pdf_width, pdf_height, pdf_margin = "1cm", pdf_landscape = false }: PaperOptions): Layout {
  const [short, long] = papers[pdf_paper];
  const sides = pdf_width && pdf_height ? [inches(pdf_width), inches(pdf_height)] : [short, long];
  const [paperWidth = short, paperHeight = long] = pdf_landscape ? sides.reverse() : sides;
  const [top = 0, right = top, bottom = top, left = right] = pdf_margin.split(",").map(inches);
  // The sides are already swapped.
  return { landscape: false, paperWidth, paperHeight, marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left };
}
