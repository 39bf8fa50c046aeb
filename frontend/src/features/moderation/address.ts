import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

export const views = ['queue', 'audit', 'images', 'figures'] as const;
export type View = (typeof views)[number];

/** `mine`: open cases that the moderator has claimed. `held`: cases of users whose data is under a legal hold. */
export const filters = ['open', 'mine', 'decided', 'held'] as const;
export type Filter = (typeof filters)[number];

/** What the moderation tool shows. It is stored in the query string, so that a reload and Back restore it. */
export interface Address {
  view: View;
  /** The parameter `show`. */
  filter: Filter;
  /** The parameter `case`. */
  caseId: number | undefined;
}

const defaultAddress: Address = { view: 'queue', filter: 'open', caseId: undefined };

const parseChoice = <T extends string>(values: readonly T[], value: string | null, fallback: T): T =>
  values.find((known) => known === value) ?? fallback;

/** Parses a query string. Unknown and missing values become the defaults. */
export const parseAddress = (search: string): Address => {
  const params = new URLSearchParams(search);
  const caseId = Number(params.get('case'));
  return {
    view: parseChoice(views, params.get('view'), defaultAddress.view),
    filter: parseChoice(filters, params.get('show'), defaultAddress.filter),
    caseId: Number.isSafeInteger(caseId) && caseId > 0 ? caseId : undefined,
  };
};

/** Formats the query string that `parseAddress` parses: with a leading `?`, or empty if all values are defaults. */
export const formatQuery = ({ view, filter, caseId }: Address): string => {
  const params = new URLSearchParams();
  if (view !== defaultAddress.view) params.set('view', view);
  if (filter !== defaultAddress.filter) params.set('show', filter);
  if (caseId !== undefined) params.set('case', String(caseId));
  return params.size === 0 ? '' : `?${params}`;
};

/** Changes parts of the address. */
export type ChangeAddress = (changes: Partial<Address>) => void;

export const useAddress = (): { address: Address; changeAddress: ChangeAddress } => {
  const { search } = useLocation();
  const navigate = useNavigate();
  const changeAddress = useCallback<ChangeAddress>(
    (changes) => {
      // Not `search`, which may be outdated: the caller may have waited for a response while the address changed.
      const before = parseAddress(window.location.search);
      const after = { ...before, ...changes };
      const goesFromCaseToCase =
        before.caseId !== undefined && after.caseId !== undefined && before.view === after.view;
      // Cases that follow each other share a history entry, so that Back leads to the queue.
      void navigate({ search: formatQuery(after) }, { replace: goesFromCaseToCase });
    },
    [navigate],
  );
  return { address: parseAddress(search), changeAddress };
};
