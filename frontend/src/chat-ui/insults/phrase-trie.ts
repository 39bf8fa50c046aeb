/** A node stands for the beginning of one or several phrases. */
interface TrieNode {
  /** Whether a phrase ends here. */
  isEnd: boolean;
  /** By the ASCII code of the next letter, or by `code + DOUBLED` where the phrase has that letter twice in a row. */
  next: Map<number, TrieNode>;
}

/** Above all ASCII codes, so that the keys of single and doubled letters differ. */
const DOUBLED = 128;

/** Whether an ASCII code is a lower-case letter, a digit or `_`. Callers convert texts to lower case first. */
const isWordCharacter = (code: number | undefined): boolean =>
  code !== undefined && ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95);

/** A text as runs: a run is one character, or the same character several times in a row. */
export interface Runs {
  /** The ASCII code of each run's character; 0 if the character is not ASCII. The array may be longer than `length`. */
  codes: Uint8Array;
  /** 1 for each run of two characters or more, otherwise 0. */
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
    const lastIndex = this.length - 1;
    if (lastIndex >= 0 && this.codes[lastIndex] === code) {
      this.isDoubled[lastIndex] = 1;
      return;
    }
    this.codes[this.length] = code;
    this.length += 1;
  }
}

const collectRuns = (phrase: string): Runs => {
  const runs = new RunCollector(phrase.length);
  for (let index = 0; index < phrase.length; index += 1) runs.add(phrase.charCodeAt(index));
  return runs;
};

/** Lists a phrase with and without each of its optional parts, which are in brackets. */
const expandOptional = (phrase: string): string[] => {
  const firstOptional = /^(.*?)\[(.*?)\](.*)$/.exec(phrase);
  if (!firstOptional) return [phrase];
  const [, before = '', optional = '', after = ''] = firstOptional;
  return expandOptional(after).flatMap((rest) => [`${before}${rest}`, `${before}${optional}${rest}`]);
};

/**
 * Finds whole words and phrases in one pass. A letter of a phrase matches one or more of that letter in a row. A double
 * letter matches two or more: "Niger", with one g, is not taken for a slur.
 */
export class PhraseTrie {
  private readonly root: TrieNode = { isEnd: false, next: new Map() };

  /** @param phrases  in lower case, of ASCII characters; a part in brackets is optional */
  constructor(phrases: readonly string[]) {
    for (const phrase of phrases.flatMap(expandOptional)) this.add(collectRuns(phrase));
  }

  private add({ codes, isDoubled, length }: Runs): void {
    let node = this.root;
    for (let index = 0; index < length; index += 1) {
      const key = (codes[index] ?? 0) + (isDoubled[index] ? DOUBLED : 0);
      let next = node.next.get(key);
      if (!next) {
        next = { isEnd: false, next: new Map() };
        node.next.set(key, next);
      }
      node = next;
    }
    node.isEnd = true;
  }

  /** Whether a text in lower case contains a phrase. For each word, visits each node of the trie at most once. */
  matches(runs: Runs): boolean {
    for (let index = 0; index < runs.length; index += 1) {
      const isWordStart =
        isWordCharacter(runs.codes[index]) && (index === 0 || !isWordCharacter(runs.codes[index - 1]));
      if (isWordStart && this.matchesFrom(runs, index, this.root)) return true;
    }
    return false;
  }

  /** Whether the rest of a phrase after `node` matches the runs from `index`. */
  private matchesFrom(runs: Runs, index: number, node: TrieNode): boolean {
    const code = index < runs.length ? runs.codes[index] : undefined;
    // Only whole words match.
    if (node.isEnd && !isWordCharacter(code)) return true;
    if (code === undefined) return false;
    const single = node.next.get(code);
    if (single && this.matchesFrom(runs, index + 1, single)) return true;
    const doubled = runs.isDoubled[index] ? node.next.get(code + DOUBLED) : undefined;
    return doubled !== undefined && this.matchesFrom(runs, index + 1, doubled);
  }
}
