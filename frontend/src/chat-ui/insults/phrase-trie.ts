/** A position in the listed phrases. */
interface Node {
  /** Whether a phrase ends here. */
  isEnd: boolean;
  /** By the code of the next letter, or by `code + DOUBLED` where the phrase has it twice in a row. */
  next: Map<number, Node>;
}

/** Outside the codes of ASCII characters. */
const DOUBLED = 128;

/** Of lower-case text. */
const isWordCharacter = (code: number | undefined): boolean =>
  code !== undefined && ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95);

/** A text as runs of the same character. */
export interface Runs {
  /** The ASCII code of each run; 0 for any other character. */
  codes: Uint8Array;
  /** 1 for each run of two characters or more. */
  isDoubled: Uint8Array;
  /** The number of runs. */
  length: number;
}

/** Collects the runs of a text of at most `size` characters. */
export class RunCollector implements Runs {
  readonly codes: Uint8Array;
  readonly isDoubled: Uint8Array;
  length = 0;

  constructor(size: number) {
    this.codes = new Uint8Array(size);
    this.isDoubled = new Uint8Array(size);
  }

  add(code: number): void {
    if (this.length > 0 && this.codes[this.length - 1] === code) this.isDoubled[this.length - 1] = 1;
    else {
      this.codes[this.length] = code;
      this.length += 1;
    }
  }
}

const collectRuns = (phrase: string): Runs => {
  const runs = new RunCollector(phrase.length);
  for (let at = 0; at < phrase.length; at += 1) runs.add(phrase.charCodeAt(at));
  return runs;
};

/** Lists a phrase with and without each of its optional parts, `[x]`. */
const expandOptional = (phrase: string): string[] => {
  const [, before, optional, after] = /^(.*?)\[(.*?)\](.*)$/.exec(phrase) ?? [];
  if (before === undefined) return [phrase];
  return expandOptional(`${after}`).flatMap((rest) => [`${before}${rest}`, `${before}${optional}${rest}`]);
};

/**
 * Finds whole words and phrases in one pass. A letter matches any number of itself in a row; one that a phrase has
 * twice matches two or more, so that "Niger" does not become a slur.
 */
export class PhraseTrie {
  private readonly root: Node = { isEnd: false, next: new Map() };

  /** @param phrases  in lower case, of ASCII characters; `[x]` is optional */
  constructor(phrases: readonly string[]) {
    for (const phrase of phrases.flatMap(expandOptional)) this.add(collectRuns(phrase));
  }

  private add({ codes, isDoubled, length }: Runs): void {
    let node = this.root;
    for (let at = 0; at < length; at += 1) {
      const key = (codes[at] ?? 0) + (isDoubled[at] ? DOUBLED : 0);
      let next = node.next.get(key);
      if (!next) {
        next = { isEnd: false, next: new Map() };
        node.next.set(key, next);
      }
      node = next;
    }
    node.isEnd = true;
  }

  /** Whether a text contains a phrase. From each word, it follows at most the nodes of the trie. */
  isIn(runs: Runs): boolean {
    for (let at = 0; at < runs.length; at += 1) {
      const isStart = isWordCharacter(runs.codes[at]) && (at === 0 || !isWordCharacter(runs.codes[at - 1]));
      if (isStart && this.isAt(runs, at, this.root)) return true;
    }
    return false;
  }

  private isAt(runs: Runs, at: number, node: Node): boolean {
    const code = at < runs.length ? runs.codes[at] : undefined;
    if (node.isEnd && !isWordCharacter(code)) return true;
    if (code === undefined) return false;
    const single = node.next.get(code);
    if (single && this.isAt(runs, at + 1, single)) return true;
    const doubled = runs.isDoubled[at] ? node.next.get(code + DOUBLED) : undefined;
    return doubled !== undefined && this.isAt(runs, at + 1, doubled);
  }
}
