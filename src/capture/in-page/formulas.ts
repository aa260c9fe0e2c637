/** Reads formulas as TeX. Runs in the page, so it must be self-contained. */

type FormulaOf = (element: Element) => { tex: string; isBlock: boolean } | undefined;

/**
 * Returns a function that reads MathML, preferably its TeX annotation, and the TeX in scripts, images and MathJax elements, or what these
 * draw. For all other elements, it returns undefined.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function formulaReader(): FormulaOf {
  const charactersMax = 10_000;
  const levelsMax = 100;
  const greek =
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau upsilon varphi chi psi omega";
  const signs =
    "∑sum ∏prod ∫int ∬iint ∮oint ∞infty ∂partial ∇nabla √surd ±pm ∓mp ×times ÷div ⋅cdot ·cdot ∘circ ≤le ≥ge ≠ne ≈approx ≡equiv ∼sim ∝propto →to ←leftarrow ↔leftrightarrow ⇒Rightarrow ⇔Leftrightarrow ↦mapsto ∈in ∉notin ⊂subset ⊆subseteq ∪cup ∩cap ∅emptyset ∀forall ∃exists ¬neg ∧wedge ∨vee ⊗otimes ⊕oplus …ldots ⋯cdots ⋮vdots ⋱ddots ′prime ϵepsilon ϕphi ℓell ℏhbar ⟨langle ⟩rangle ‖Vert ΓGamma ΔDelta ΘTheta ΛLambda ΞXi ΠPi ΣSigma ΦPhi ΨPsi ΩOmega";
  const names = new Map<string, string>();
  for (const [index, name] of greek.split(" ").entries()) names.set(String.fromCodePoint(0x3b1 + index), name);
  for (const sign of signs.split(" ")) names.set(sign.charAt(0), sign.slice(1));
  const accents = new Map(
    "¯bar ‾overline ^hat ˆhat ~tilde ˜tilde →vec ⃗vec ˙dot ¨ddot ⏞overbrace".split(" ").map((one) => [one.charAt(0), one.slice(1)]),
  );
  const under: Record<string, string> = { _: "underline", "̲": "underline", "⏟": "underbrace" };

  const word = (text: string): string => {
    const characters = [...text].map((character) => {
      if (/[\u2061-\u2064]/.test(character)) return ""; // function application and similar invisible operators
      const name = names.get(character);
      return name ? `\\${name} ` : character === "−" ? "-" : /[{}%#$&_]/.test(character) ? `\\${character}` : character;
    });
    return characters.join("");
  };
  const identifier = (text: string): string => {
    if (!/^[a-z]{2,}$/i.test(text)) return word(text);
    return /^(sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|lg|exp|lim|max|min|sup|inf|det|dim|ker|gcd|arg|deg|Pr|mod)$/.test(
      text,
    )
      ? `\\${text} `
      : `\\mathrm{${word(text)}}`;
  };
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const childrenOf = (element: Element): Element[] => [...Reflect.get(Element.prototype, "children", element)];
  const textOf = (element: Element | undefined): string => (element && Reflect.get(Node.prototype, "textContent", element)) ?? "";
  const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
  const variants: Record<string, string> = {
    bold: "mathbf",
    "bold-italic": "boldsymbol",
    "double-struck": "mathbb",
    script: "mathcal",
    fraktur: "mathfrak",
  };
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const drawnNames =
    /^mjx-(mi|mo|mn|mtext|ms|mspace|mfrac|msqrt|mroot|msup|msub|msubsup|munder|mover|munderover|mtable|mtr|mtd|mrow|mstyle|mpadded|mphantom|menclose|math|texatom)$/;
  /** The parts of an element, in MathML's order, also if MathJax draws it, with further elements around and between the parts. */
  const partsOf = (element: Element, level: number): Element[] => {
    const name = nameOf(element);
    if (!name.startsWith("mjx-")) return childrenOf(element);
    const inner = childrenOf(element).filter((child) => !/^mjx-(c|surd|line|spacer|break|[a-z]?strut)$/.test(nameOf(child)));
    const flat = inner.flatMap((child) => (drawnNames.test(nameOf(child)) || level >= levelsMax ? child : partsOf(child, level + 1)));
    const [first, second, third] = flat;
    const isOver = inner[0] !== undefined && nameOf(inner[0]) === "mjx-over";
    if (name === "mjx-munderover" && isOver && first && second) return [...partsOf(second, level + 1), first];
    if (/^mjx-(msubsup|munderover)$/.test(name) && first && second && third) return [first, third, second];
    return (name === "mjx-mover" && isOver) || name === "mjx-mroot" ? flat.reverse() : flat;
  };
  /** The text of a letter, number or operator, which MathJax draws in mathematical letters and, if it is stretched, in pieces. */
  const leafOf = (node: Element): string => {
    if (!nameOf(node).startsWith("mjx-")) return textOf(node).trim();
    const stretched = Element.prototype.querySelector.call(node, "mjx-stretchy-v, mjx-stretchy-h");
    const code = stretched && /\bmjx-c([\da-f]{2,5})\b/i.exec(`${attributeOf(stretched, "class")} ${attributeOf(node, "class")}`)?.[1];
    const text = code ? String.fromCodePoint(Number.parseInt(code, 16)) : textOf(node).trim();
    return text.replace(/[\u{1d400}-\u{1d7ff}]/gu, (letter) => letter.normalize("NFKC"));
  };
  /** Text within a formula, whose non-breaking spaces at its edges are drawn. */
  const wordsOf = (node: Element): string => {
    const spaced = nameOf(node).startsWith("mjx-") ? leafOf(node) : textOf(node).replaceAll("\u00a0", "~").trim();
    return spaced.replace(/[~\s]+/g, " ");
  };
  const isBold = (node: Element) => nameOf(node).startsWith("mjx-") && /[\u{1d400}-\u{1d433}\u{1d7ce}-\u{1d7d7}]/u.test(textOf(node));
  const varied = (element: Element, tex: string): string => {
    const variant = variants[isBold(element) ? "bold" : (attributeOf(element, "mathvariant") ?? "")];
    return variant && tex.trim() !== "" ? `\\${variant}{${tex.trim()}}` : tex;
  };
  /** Binomial coefficients are fractions without a line. */
  const barOf = (fraction: Element) => {
    const [drawn] = childrenOf(fraction);
    const isBare =
      /^0(\.0*)?[a-z]*$/.test(attributeOf(fraction, "linethickness") ?? "") || (drawn && attributeOf(drawn, "atop") === "true");
    return isBare ? "\\genfrac{}{}{0pt}{}" : "\\frac";
  };
  /** Numbered equations are a table with labeled rows, in which one without a number has an empty first cell. */
  const tableTex = (rows: Element[], level: number): string => {
    const isLabeled = (row: Element) => nameOf(row) === "mlabeledtr";
    const isAlone = rows.length === 1 && rows.some(isLabeled);
    const tagged = rows.map((row) => {
      const parts = partsOf(row, level);
      const label = isLabeled(row) ? textOf(parts.shift()).trim() : "";
      const cells = parts.map((cell) => texOf(cell, level).trim());
      const line = isAlone ? cells.filter(Boolean).join(" ") : cells.join(" & ");
      return label ? `${line} \\tag{${label.replace(/^\(([^()]*)\)$/, "$1").replace(/[\\{}$%#&_^~]/g, " ")}}` : line;
    });
    if (!rows.some(isLabeled)) return `\\begin{matrix}${tagged.join(" \\\\ ")}\\end{matrix}`;
    return isAlone ? (tagged[0] ?? "") : `\\begin{align*}${tagged.join(" \\\\ ")}\\end{align*}`;
  };
  /** Brackets around something high grow with it; a brace alone is that of a list of cases. */
  const rowOf = (children: Element[], parts: string[]): string => {
    const isHigh = children.some((child) => /^(mjx-)?(mfrac|mtable|munderover|munder|mover|msubsup)$/.test(nameOf(child)));
    const fenceOf = (element: Element | undefined, signs: RegExp) => {
      const isFence = element && /^(mjx-)?mo$/.test(nameOf(element)) && attributeOf(element, "stretchy") !== "false";
      return isFence && signs.test(leafOf(element));
    };
    if (!isHigh || !fenceOf(children[0], /^[([{|‖⌊⌈⟨]$/)) return parts.join("");
    const isClosed = fenceOf(children.at(-1), /^[)\]}|‖⌋⌉⟩]$/);
    if (!isClosed && leafOf(children[0] as Element) !== "{") return parts.join("");
    return `\\left${parts[0]}${parts.slice(1, isClosed ? -1 : undefined).join("")}\\right${isClosed ? parts.at(-1) : "."}`;
  };
  const texOf = (node: Element, level = 0): string => {
    const children = level < levelsMax ? partsOf(node, level) : [];
    const all = () =>
      rowOf(
        children,
        children.map((child) => texOf(child, level + 1)),
      );
    const part = (index: number) => (children[index] ? texOf(children[index], level + 1).trim() : "");
    const base = () => {
      const own = part(0); // called only once, because a second call at each level would take exponential time
      return /^(\\?\w|\\[a-z]+)$/i.test(own) || /^\\(sum|prod|int|lim)/.test(own) ? own : `{${own}}`;
    };
    const text = leafOf(node);
    const name = nameOf(node).replace("mjx-", "");
    if (/^(annotation(-xml)?|none|mphantom)$/.test(name)) return "";
    switch (name) {
      case "mi":
      case "mo":
        return varied(node, identifier(text));
      case "mn":
        return word(text);
      case "mtext":
      case "ms":
      case "mspace":
        return text === "" ? " " : `\\text{${wordsOf(node).replace(/[{}\\$%#&_]/g, " ")}}`;
      case "mfrac":
        return `${barOf(node)}{${part(0)}}{${part(1)}}`;
      case "msqrt":
        return `\\sqrt{${all().trim()}}`;
      case "mroot":
        return `\\sqrt[${part(1)}]{${part(0)}}`;
      case "msup":
        return `${base()}^{${part(1)}}`;
      case "msub":
        return `${base()}_{${part(1)}}`;
      case "msubsup":
      case "munderover":
        return `${base()}_{${part(1)}}^{${part(2)}}`;
      case "mover": {
        const accent = accents.get(textOf(children[1]).trim());
        return accent ? `\\${accent}{${part(0)}}` : `${base()}^{${part(1)}}`;
      }
      case "munder": {
        const accent = under[textOf(children[1]).trim()];
        return accent ? `\\${accent}{${part(0)}}` : `${base()}_{${part(1)}}`;
      }
      case "mtable":
        return tableTex(children, level + 1);
      case "mfenced":
        return `${attributeOf(node, "open") ?? "("}${children.map((child) => texOf(child, level + 1)).join(",")}${attributeOf(node, "close") ?? ")"}`;
      case "semantics":
        return part(0);
      default:
        return all();
    }
  };
  const sourceIn = (math: Element): string | null | undefined => {
    const notes = [...Element.prototype.querySelectorAll.call(math, "annotation")].slice(0, 20);
    const note = notes.find((one) => /^(application\/(x-)?(la)?tex|(la)?tex)$/i.test(attributeOf(one, "encoding") ?? ""));
    return note ? textOf(note) : (attributeOf(math, "data-latex") ?? attributeOf(math, "data-tex") ?? attributeOf(math, "alttext"));
  };
  /** The formula as drawn. It can be numbered only if it is displayed, and once, or once in each line. */
  const drawnTex = (element: Element, isBlock: boolean): string => {
    const tex = texOf(element).trim();
    const [lists, tags] = ["\\begin{align*}", "\\tag{"].map((part) => tex.split(part).length - 1) as [number, number];
    const isNumbered = isBlock && (lists === 0 ? tags <= 1 : lists === 1 && tex.startsWith("\\begin{align*}"));
    return isNumbered ? tex : tex.replaceAll("{align*}", "{matrix}").replace(/\\tag\{([^{}]*)\}/g, "\\quad \\text{($1)}");
  };
  const found = (tex: string, isBlock: boolean) => {
    const short = tex.slice(0, charactersMax).replace(/\s+/g, " ").trim();
    return short === "" ? undefined : { tex: short, isBlock };
  };

  return (element) => {
    const localName = Reflect.get(Element.prototype, "localName", element);
    if (localName === "script") {
      const type = attributeOf(element, "type") ?? "";
      return type.startsWith("math/tex") ? found(textOf(element), type.includes("display")) : undefined;
    }
    // Elements drawn by MathJax, which records the source in an attribute, and wraps a drawing in several `svg`.
    const drawing = "svg g[data-mml-node=math][data-latex]";
    const drawn = localName === "mjx-container" ? Element.prototype.querySelector.call(element, drawing) : element;
    const latex = drawn && /^mjx-(math|container)$/.test(localName) ? attributeOf(drawn, "data-latex") : null;
    const container = localName.startsWith("mjx-") ? Element.prototype.closest.call(element, "mjx-container") : null;
    const isDisplay = container !== null && attributeOf(container, "display") === "true";
    if (latex !== null) return found(latex, isDisplay);
    // MathJax records no TeX for MathML. Its older versions draw letters with style sheets, so the element has no text.
    if (localName === "mjx-math" && textOf(element).trim() !== "") return found(drawnTex(element, isDisplay), isDisplay);
    // Images of MediaWiki and WordPress, whose alternative text is the source.
    const image =
      localName === "img" ? /(?:^|\s)(tex|latex|mwe-math-fallback-image-\w+)(?:\s|$)/.exec(attributeOf(element, "class") ?? "") : null;
    if (image) return found(attributeOf(element, "alt") ?? "", image[1] === "mwe-math-fallback-image-display");
    if (localName !== "math") return undefined;
    const isBlock = attributeOf(element, "display") === "block" || attributeOf(element, "mode") === "display";
    return found(sourceIn(element) ?? drawnTex(element, isBlock), isBlock);
  };
}
