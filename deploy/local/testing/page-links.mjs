import path from 'node:path';

/** The address of a Markdown link: `docs/operations.md#metrics` in `[metrics](docs/operations.md#metrics)`. */
const LINK_ADDRESS = /\]\(([^)\s]+)\)/g;
/** The beginning of an address that is not a path, such as `https:` or `mailto:`. */
const URL_SCHEME = /^[a-z]+:/;

/**
 * Lists the Markdown links of a page to files of the repository.
 * @returns {{ target: string, anchor?: string }[]} the path of each target from the root, and its anchor
 */
export const listLocalLinks = ({ file, text }) =>
  [...text.matchAll(LINK_ADDRESS)]
    .map(([, address]) => address)
    .filter((address) => !URL_SCHEME.test(address))
    .map((address) => {
      const [relativePath, anchor] = address.split('#');
      const target = relativePath ? path.posix.join(path.posix.dirname(file), relativePath) : file;
      return { target, anchor };
    });

/** Lists the anchors of the headings of a page. */
export const listAnchors = (text) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => toAnchor(heading));

/** Returns the anchor that GitHub generates for a heading. */
const toAnchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
