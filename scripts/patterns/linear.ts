/**
 * Proves that a regular expression is matched in linear time: over all start positions, the number of paths that a backtracking engine
 * takes through any text is bounded (A. Weber and H. Seidl, On the degree of ambiguity of finite automata, 1991).
 */

import { type Automaton, automatonOf, type Position, Unsupported } from "./automaton.ts";

/** Why the pattern may take more than linear time; undefined if it never does. */
export function superLinear(source: string, flags: string): string | undefined {
  try {
    const automaton = automatonOf(source, flags);
    const { positions } = automaton;
    const open = loopsOf(positions, isOpen);
    if (open.some((loop) => isExponential(positions, loop))) return "may take exponential time: a loop reads the same text in several ways";
    if (loopsOf(positions, () => true).some((loop) => open.some((later) => sharesText(positions, loop, later))))
      return "may take quadratic time: two loops that follow each other read the same text";
    if (flags.includes("y") ? isTriedAfterMatches(automaton) : isTriedInside(automaton))
      return "may take quadratic time: it is tried again at each character that a loop has read";
    return undefined;
  } catch (error) {
    if (error instanceof Unsupported) return error.message;
    throw error;
  }
}

/** Whether the match can't end here yet. Where it can, the engine succeeds and never backtracks to this position. */
function isOpen({ isEnd }: Position): boolean {
  return !isEnd;
}

/** A strongly connected component: positions that can repeat indefinitely. */
type Loop = ReadonlySet<number>;

function loopsOf(positions: Position[], isIn: (position: Position) => boolean): Loop[] {
  const reached = positions.map((position, index) => (isIn(position) ? reachableFrom(positions, index, isIn) : new Set<number>()));
  const loops: Loop[] = [];
  for (const [index, forward] of reached.entries())
    if (forward.has(index) && !loops.some((loop) => loop.has(index)))
      loops.push(new Set([...forward].filter((other) => reached[other]?.has(index))));
  return loops;
}

function reachableFrom(positions: Position[], start: number, isIn: (position: Position) => boolean): Set<number> {
  const found = new Set<number>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const next of positions[at]?.next ?? [])
      if (!found.has(next) && isIn(positions[next] as Position)) {
        found.add(next);
        open.push(next);
      }
  return found;
}

/** The positions of several copies of the automaton, and the characters by which all of them can get there. */
interface Meeting {
  at: readonly number[];
  characters: bigint;
}

/** Runs several copies of the automaton on the same text. Returns whether `isGoal` can be reached after at least one character. */
function canWalk(
  positions: Position[],
  starts: readonly (readonly number[])[],
  options: (at: readonly number[]) => readonly (readonly number[])[],
  isGoal: (meeting: Meeting) => boolean,
): boolean {
  const seen = new Set<string>();
  const open = [...starts];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const meeting of meetings(positions, options(at))) {
      if (isGoal(meeting)) return true;
      const name = meeting.at.join();
      if (seen.has(name)) continue;
      seen.add(name);
      open.push(meeting.at);
    }
  }
  return false;
}

/** All combinations of the copies' next positions that share a character. */
function meetings(positions: Position[], options: readonly (readonly number[])[]): Meeting[] {
  let all: Meeting[] = [{ at: [], characters: -1n }];
  for (const nexts of options)
    all = all.flatMap(({ at, characters }) =>
      [...new Set(nexts)].flatMap((next) => {
        const both = characters & (positions[next] as Position).characters;
        return both === 0n ? [] : [{ at: [...at, next], characters: both }];
      }),
    );
  return all;
}

function nextOf(positions: Position[], at: number | undefined): number[] {
  return positions[at as number]?.next ?? [];
}

function within(positions: Position[], at: number | undefined, loop: Loop): number[] {
  return nextOf(positions, at).filter((next) => loop.has(next));
}

/** Whether two distinct paths through a loop match the same text and converge. */
function isExponential(positions: Position[], loop: Loop): boolean {
  const nexts = (at: number | undefined) => within(positions, at, loop);
  if ([...loop].some((at) => new Set(nexts(at)).size < nexts(at).length)) return true;
  const isApart = ([one, other]: readonly number[]) => one !== other;
  const apart = [...loop].flatMap((at) => meetings(positions, [nexts(at), nexts(at)]).filter((meeting) => isApart(meeting.at)));
  return canWalk(
    positions,
    apart.map(({ at }) => at),
    (at) => at.map(nexts),
    ({ at }) => !isApart(at),
  );
}

/** Whether the same text can be matched by a loop, by a later loop, and on a path from the first to the second. */
function sharesText(positions: Position[], loop: Loop, later: Loop): boolean {
  if (loop.size === later.size && [...loop].every((at) => later.has(at))) return false; // the same loop: see `isExponential`
  return [...loop].some((from) => {
    const reached = reachableFrom(positions, from, () => true);
    const isShared = (to: number) =>
      canWalk(
        positions,
        [[from, from, to]],
        ([one, between, other]) => [within(positions, one, loop), nextOf(positions, between), within(positions, other, later)],
        ({ at: [one, between, other] }) => one === from && between === to && other === to,
      );
    return [...later].some((to) => to !== from && reached.has(to) && isShared(to));
  });
}

/**
 * Whether a match may begin at arbitrarily many offsets in text that a loop matches. Positions at which the match may end are excluded,
 * because the next match begins after the text that they have consumed.
 */
function isTriedInside({ positions, first }: Automaton): boolean {
  const starts = first.filter(({ isAtStart }) => !isAtStart);
  return loopsOf(positions, isOpen).some((loop) =>
    [...loop].some((to) =>
      starts.some((start) =>
        canWalk(
          positions,
          [[beginning, to]],
          ([at, other]) => [at === beginning ? [start.to] : nextOf(positions, at), within(positions, other, loop)],
          ({ at: [at, other], characters }) => at === to && other === to && (characters & start.behind) !== 0n,
        ),
      ),
    ),
  );
}

/** The same for sticky patterns, whose matches begin where the previous one ended. */
function isTriedAfterMatches({ positions, first }: Automaton): boolean {
  const starts = first.map(({ to }) => to);
  const endsAt = (at: number | undefined) => positions[at as number]?.maybeEnd === true;
  const next = (at: number | undefined) => (at === beginning ? starts : nextOf(positions, at));
  return loopsOf(positions, isOpen).some((loop) =>
    [...loop].some((to) =>
      canWalk(
        positions,
        [[beginning, beginning, to]],
        ([ended, at, other]) => [[...next(ended), ...(endsAt(ended) ? starts : [])], next(at), within(positions, other, loop)],
        ({ at: [ended, at, other] }) => endsAt(ended) && at === to && other === to,
      ),
    ),
  );
}

/** The state before a match's first character. */
const beginning = -1;
