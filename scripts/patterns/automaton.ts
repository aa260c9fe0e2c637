/** Builds the automaton of a regular expression, with an edge for each alternative that a backtracking engine tries. */

import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/** Thrown for a pattern for which no automaton can be built; the message gives the reason. */
export class Unsupported extends Error {
  override readonly name = "Unsupported";
}

/** A state of the automaton: the pattern's character that was just matched. */
export interface Position {
  /** Bit set of the alphabet's characters that it matches. */
  characters: bigint;
  /** Positions that may follow; one occurrence for each empty path to them. */
  next: number[];
  /** Whether the match may end here unconditionally. */
  isEnd: boolean;
  /** Whether the match may end here, perhaps subject to an assertion. */
  maybeEnd: boolean;
}

export interface Start {
  /** The first position. */
  to: number;
  /** Whether it applies only at the start of the text. */
  isAtStart: boolean;
  /** Bit set of the characters that may precede it. */
  behind: bigint;
}

export interface Automaton {
  positions: Position[];
  /** Positions at which a match may begin. */
  first: Start[];
}

type State =
  | { kind: "character"; characters: bigint; next: number }
  | { kind: "fork"; nexts: number[]; isLoop: boolean }
  | { kind: "condition"; isStart: boolean; behind: bigint; next: number }
  | { kind: "end" }
  | { kind: "dead" };

const any = -1n;

/** Far higher than for any pattern in this repository. */
const statesMax = 3_000;

export function automatonOf(source: string, flags: string): Automaton {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const states: State[] = [{ kind: "end" }, { kind: "dead" }];
  const start = createBuilder(states, pattern, flags).alternatives(pattern.alternatives, 0);
  return automatonFrom(states, start);
}

function createBuilder(states: State[], pattern: AST.Pattern, flags: string) {
  const read = characterReader(pattern, flags);
  const add = (state: State): number => {
    if (states.length >= statesMax) throw new Unsupported("has too many states to be checked");
    return states.push(state) - 1;
  };
  const alternatives = (all: AST.Alternative[], next: number): number => {
    const nexts = all.map(({ elements }) => elements.reduceRight((after, element) => build(element, after), next));
    return nexts.length === 1 ? (nexts[0] as number) : add({ kind: "fork", nexts, isLoop: false });
  };
  const build = (element: AST.Element, next: number): number => {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
        return add({ kind: "character", characters: read(element.raw), next });
      case "Group":
      case "CapturingGroup":
        return alternatives(element.alternatives, next);
      case "Quantifier":
        return repeat(element, next);
      case "Assertion":
        return assertion(element, next);
      default:
        throw new Unsupported(`has ${element.raw}, which is not checked`);
    }
  };
  const repeat = ({ element, min, max }: AST.Quantifier, next: number): number => {
    let entry = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop: State = { kind: "fork", nexts: [], isLoop: true };
      entry = add(loop);
      loop.nexts = [build(element, entry), next];
    } else for (let copy = min; copy < max; copy += 1) entry = add({ kind: "fork", nexts: [build(element, entry), next], isLoop: false });
    for (let copy = 0; copy < min; copy += 1) entry = build(element, entry);
    return entry;
  };
  const assertion = (element: AST.Assertion, next: number): number => {
    const isStart = element.kind === "start" && !flags.includes("m");
    const after = add({ kind: "condition", isStart, behind: element.kind === "lookbehind" ? behind(element) : any, next });
    if (element.kind !== "lookahead") return after;
    return add({ kind: "fork", nexts: [alternatives(element.alternatives, 1), after], isLoop: false });
  };
  /** Characters that may precede the position. Lookbehinds longer than one character are treated as always met. */
  const behind = ({ raw, negate, alternatives: all }: AST.LookbehindAssertion): bigint => {
    if (/[*+]|\{\d+,\}/.test(raw.replace(/\\.|\[[^\]]*\]/g, "")))
      throw new Unsupported(`has ${raw}, which reads any number of characters backwards`);
    const sets = all.map(({ elements: [only, ...more] }) => {
      if (more.length > 0) return undefined;
      return only?.type === "Character" || only?.type === "CharacterSet" || only?.type === "CharacterClass" ? read(only.raw) : undefined;
    });
    if (sets.some((set) => set === undefined)) return any;
    const union = sets.reduce<bigint>((both, set) => both | (set ?? 0n), 0n);
    return negate ? any & ~union : union;
  };
  return { alternatives };
}

/** Determines the characters that an element of the pattern matches by running the engine on each character of the alphabet. */
function characterReader(pattern: AST.Pattern, flags: string): (raw: string) => bigint {
  const alphabet = alphabetOf(pattern);
  const own = flags.replace(/[gyd]/g, "");
  const known = new Map<string, bigint>();
  return (raw) => {
    let characters = known.get(raw);
    if (characters === undefined) {
      const alone = new RegExp(`^(?:${raw})$`, own);
      characters = alphabet.reduce((set, character, index) => (alone.test(character) ? set | (1n << BigInt(index)) : set), 0n);
      known.set(raw, characters);
    }
    return characters;
  };
}

/** ASCII, the characters in the pattern with their neighbors, and a sample of other Unicode categories. */
function alphabetOf(pattern: AST.Pattern): string[] {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const named: string[] = [];
  visitRegExpAST(pattern, {
    onCharacterEnter: ({ value }) => {
      const near = [value - 1, value, value + 1].map((code) => String.fromCodePoint(Math.max(0, code)));
      if (value >= ascii.length) named.push(...near, ...near.map((one) => one.toLowerCase()), ...near.map((one) => one.toUpperCase()));
    },
  });
  return [...new Set([...ascii, ..."\u0085\u00a0éÉßſσЖ\u2028\u3000\ufeff中한😀", ...named])];
}

interface Step extends Start {
  /** Whether it depends on an assertion. */
  isConditional: boolean;
}

function automatonFrom(states: State[], start: number): Automaton {
  const numbers = new Map<number, number>();
  const order: number[] = [];
  const numberOf = (state: number): number => {
    const known = numbers.get(state);
    if (known !== undefined) return known;
    numbers.set(state, order.length);
    return order.push(state) - 1;
  };
  const characters = (steps: Step[]) => steps.filter(({ to }) => states[to]?.kind === "character");
  const first = characters(stepsFrom(states, start)).map((step) => ({ ...step, to: numberOf(step.to) }));
  const positions: Position[] = [];
  for (let index = 0; index < order.length; index += 1) {
    const state = states[order[index] as number] as Extract<State, { kind: "character" }>;
    const steps = stepsFrom(states, state.next);
    const ends = steps.filter(({ to }) => states[to]?.kind === "end");
    positions.push({
      characters: state.characters,
      next: characters(steps).map(({ to }) => numberOf(to)),
      isEnd: ends.some(({ isConditional }) => !isConditional),
      maybeEnd: ends.length > 0,
    });
  }
  return { positions, first };
}

/** All empty paths to a character or the end. An iteration of a loop that has matched nothing ends the loop, as ECMAScript specifies. */
function stepsFrom(states: State[], from: number): Step[] {
  const steps: Step[] = [];
  const walk = (at: number, step: Omit<Step, "to">, entered: readonly number[]): void => {
    if (steps.length > statesMax) throw new Unsupported("has too many ways to match nothing");
    const state = states[at] as State;
    if (state.kind === "character" || state.kind === "end") steps.push({ to: at, ...step });
    else if (state.kind === "condition") walk(state.next, conditional(step, state), entered);
    else if (state.kind === "fork") {
      if (state.isLoop && entered.includes(at)) return;
      for (const [index, next] of state.nexts.entries()) walk(next, step, state.isLoop && index === 0 ? [...entered, at] : entered);
    }
  };
  walk(from, { isConditional: false, isAtStart: false, behind: any }, []);
  return steps;
}

function conditional(step: Omit<Step, "to">, { isStart, behind }: Extract<State, { kind: "condition" }>): Omit<Step, "to"> {
  return { isConditional: true, isAtStart: step.isAtStart || isStart, behind: step.behind & behind };
}
