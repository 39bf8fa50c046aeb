import { create } from 'zustand';
import { type CaseDraft } from '@/features/moderation/decision/case-draft';

/** A decision that the server refused, or that could not be sent. */
export interface DecisionFailure {
  caseId: number;
  /** Message for the moderator. */
  text: string;
}

interface Workbench {
  /** Id of the case whose row is highlighted in the queue. The keys J and K move the highlight. */
  cursorId: number | undefined;
  /** Whether the decision form is shown beside the open case, in place of the reports and the reported user. */
  isFormOpen: boolean;
  /** What was entered in decision forms, by case id. In memory only, since it may quote evidence. */
  drafts: Readonly<Record<number, CaseDraft>>;
  /** Ids of cases that the queue hides: from the sending of the decision until the queue is reloaded. */
  sendingCaseIds: readonly number[];
  /** At most one failure per case. */
  failures: readonly DecisionFailure[];
  /** Ids of cases that were claimed by opening the decision form. Closing the form without input releases them. */
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

const addId = (ids: readonly number[], id: number): number[] => [...ids.filter((other) => other !== id), id];
const removeId = (ids: readonly number[], id: number): number[] => ids.filter((other) => other !== id);

/** Changes the state that the parts of the moderation tool share. */
export const workbench = {
  reset: (): void => useWorkbench.setState(initialState),
  highlightCase: (cursorId: number | undefined): void => useWorkbench.setState({ cursorId }),
  openForm: (): void => useWorkbench.setState({ isFormOpen: true }),
  closeForm: (): void => useWorkbench.setState({ isFormOpen: false }),
  announce: (announcement: string): void => useWorkbench.setState({ announcement }),
  saveDraft: (caseId: number, draft: CaseDraft): void =>
    useWorkbench.setState(({ drafts }) => ({ drafts: { ...drafts, [caseId]: draft } })),
  removeDraft: (caseId: number): void =>
    useWorkbench.setState(({ drafts: { [caseId]: _, ...drafts } }) => ({ drafts })),
  startSending: (caseId: number): void =>
    useWorkbench.setState(({ sendingCaseIds, failures }) => ({
      sendingCaseIds: addId(sendingCaseIds, caseId),
      failures: failures.filter((failure) => failure.caseId !== caseId),
    })),
  stopSending: (caseId: number): void =>
    useWorkbench.setState(({ sendingCaseIds }) => ({ sendingCaseIds: removeId(sendingCaseIds, caseId) })),
  addFailure: (failure: DecisionFailure): void =>
    useWorkbench.setState(({ failures }) => ({
      failures: [...failures.filter(({ caseId }) => caseId !== failure.caseId), failure],
    })),
  removeFailure: (caseId: number): void =>
    useWorkbench.setState(({ failures }) => ({
      failures: failures.filter((failure) => failure.caseId !== caseId),
    })),
  addClaimByForm: (caseId: number): void =>
    useWorkbench.setState(({ caseIdsClaimedByForm }) => ({
      caseIdsClaimedByForm: addId(caseIdsClaimedByForm, caseId),
    })),
  removeClaimByForm: (caseId: number): void =>
    useWorkbench.setState(({ caseIdsClaimedByForm }) => ({
      caseIdsClaimedByForm: removeId(caseIdsClaimedByForm, caseId),
    })),
};
