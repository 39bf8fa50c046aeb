import { create } from 'zustand';
import { type CaseDraft } from '@/features/moderation/decision/case-draft';

/** A decision that the server refused, or that could not be sent. */
export interface DecisionFailure {
  caseId: number;
  /** Message for the moderator. */
  text: string;
}

interface Workbench {
  /** Id of the case at the cursor: the highlighted row of the queue, which the keys J and K move. */
  cursorId: number | undefined;
  /** Whether the decision form is shown beside the open case, in place of the reports and the reported user. */
  isFormOpen: boolean;
  /** What was entered in decision forms, by case id. In memory only, since it may quote evidence. */
  drafts: Readonly<Record<number, CaseDraft>>;
  /** Ids of cases whose decision was sent. The queue hides them until it is reloaded. */
  sendingCaseIds: readonly number[];
  /** At most one failure per case. */
  failures: readonly DecisionFailure[];
  /** Ids of cases that the decision form claimed when it opened. Closing it without input releases them. */
  caseIdsClaimedByForm: readonly number[];
  /** The last text for the live region in the header, which screen readers announce. */
  announcement: string;
}

const initialState: Workbench = {
  cursorId: undefined,
  isFormOpen: false,
  drafts: {},
  sendingCaseIds: [],
  failures: [],
  caseIdsClaimedByForm: [],
  announcement: '',
};

export const useWorkbench = create<Workbench>()(() => initialState);

const removeId = (ids: readonly number[], id: number): number[] => ids.filter((other) => other !== id);
const addId = (ids: readonly number[], id: number): number[] => [...removeId(ids, id), id];
const dropFailureOf = (caseId: number, failures: readonly DecisionFailure[]): DecisionFailure[] =>
  failures.filter((failure) => failure.caseId !== caseId);

/** Changes the state that the parts of the moderation tool share. */
export const workbench = {
  reset: (): void => useWorkbench.setState(initialState),
  moveCursorTo: (cursorId: number | undefined): void => useWorkbench.setState({ cursorId }),
  openForm: (): void => useWorkbench.setState({ isFormOpen: true }),
  closeForm: (): void => useWorkbench.setState({ isFormOpen: false }),
  announce: (announcement: string): void => useWorkbench.setState({ announcement }),
  saveDraft: (caseId: number, draft: CaseDraft): void =>
    useWorkbench.setState(({ drafts }) => ({ drafts: { ...drafts, [caseId]: draft } })),
  removeDraft: (caseId: number): void =>
    useWorkbench.setState(({ drafts }) => {
      const { [caseId]: _removed, ...otherDrafts } = drafts;
      return { drafts: otherDrafts };
    }),
  startSending: (caseId: number): void =>
    useWorkbench.setState(({ sendingCaseIds, failures }) => ({
      sendingCaseIds: addId(sendingCaseIds, caseId),
      failures: dropFailureOf(caseId, failures),
    })),
  stopSending: (caseId: number): void =>
    useWorkbench.setState(({ sendingCaseIds }) => ({ sendingCaseIds: removeId(sendingCaseIds, caseId) })),
  addFailure: (failure: DecisionFailure): void =>
    useWorkbench.setState(({ failures }) => ({
      failures: [...dropFailureOf(failure.caseId, failures), failure],
    })),
  removeFailure: (caseId: number): void =>
    useWorkbench.setState(({ failures }) => ({ failures: dropFailureOf(caseId, failures) })),
  addClaimByForm: (caseId: number): void =>
    useWorkbench.setState(({ caseIdsClaimedByForm }) => ({
      caseIdsClaimedByForm: addId(caseIdsClaimedByForm, caseId),
    })),
  removeClaimByForm: (caseId: number): void =>
    useWorkbench.setState(({ caseIdsClaimedByForm }) => ({
      caseIdsClaimedByForm: removeId(caseIdsClaimedByForm, caseId),
    })),
};
