import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

export const views = ['queue', 'audit', 'images', 'figures'] as const;
export type View = (typeof views)[number];

export const filters = ['open', 'mine', 'decided', 'held'] as const;
export type Filter = (typeof filters)[number];

/** What the tool shows; kept in the address, so that a reload and Back keep it too. */
export interface Address {
  view: View;
  filter: Filter;
  caseId: number | undefined;
}

const parseChoice = <T extends string>(values: readonly T[], value: string | null, otherwise: T): T =>
  values.find((known) => known === value) ?? otherwise;

/** Reads the query string; ignores what it does not know. */
export const parseAddress = (search: string): Address => {
  const params = new URLSearchParams(search);
  const caseId = Number(params.get('case'));
  return {
    view: parseChoice(views, params.get('view'), 'queue'),
    filter: parseChoice(filters, params.get('show'), 'open'),
    caseId: Number.isSafeInteger(caseId) && caseId > 0 ? caseId : undefined,
  };
};

/** The inverse of `parseAddress`. */
export const formatAddress = ({ view, filter, caseId }: Address): string => {
  const params = new URLSearchParams();
  if (view !== 'queue') params.set('view', view);
  if (filter !== 'open') params.set('show', filter);
  if (caseId !== undefined) params.set('case', String(caseId));
  return params.size === 0 ? '' : `?${params}`;
};

/** Changes a part of the address. */
export type Go = (changes: Partial<Address>) => void;

export const useAddress = (): { address: Address; go: Go } => {
  const { search } = useLocation();
  const navigate = useNavigate();
  const go = useCallback<Go>(
    (changes) => {
      // The address of the moment: a request may have ended long after the render that made this function.
      const before = parseAddress(window.location.search);
      const after = { ...before, ...changes };
      // From one case to the next no entry is added: Back leads to the queue.
      const replace = before.caseId !== undefined && after.caseId !== undefined && before.view === after.view;
      void navigate({ search: formatAddress(after) }, { replace });
    },
    [navigate],
  );
  return { address: parseAddress(search), go };
};
