/**
 * One cookie of a `Cookie` header, as the browser sent it; the first of its name, as cookie parsers take it.
 * @returns undefined when the header holds no cookie of that name.
 */
export const cookieValue = (header: string | undefined, name: string): string | undefined => {
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals !== -1 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
};
