import { create } from 'zustand';
import { type CaseDraft } from '@/features/moderation/decision/case-draft';

export interface Failure {
  caseId: number;
  text: string;
}

interface Workbench {
  /** The row that J and K move. */
  cursorId: number | undefined;
  /** The decision of the open case is shown in place of the person. */
  isFormOpen: boolean;
  /** By case; in memory only, since facts may quote evidence. */
  drafts: Readonly<Record<number, CaseDraft>>;
  /** Decisions that the server has not answered yet, or whose case the queue still shows. */
  sending: readonly number[];
  /** Decisions that were not taken. */
  failures: readonly Failure[];
  /** Cases that opening the form has claimed: closing it unchanged releases them. */
  claimedByForm: readonly number[];
  /** The newest sentence of the live region. */
  announcement: string;
}

const blank: Workbench = {
  cursorId: undefined,
  isFormOpen: false,
  drafts: {},
  sending: [],
  failures: [],
  claimedByForm: [],
  announcement: '',
};

export const useWorkbench = create<Workbench>()(() => blank);

const add = (ids: readonly number[], id: number): number[] => [...ids.filter((other) => other !== id), id];
const remove = (ids: readonly number[], id: number): number[] => ids.filter((other) => other !== id);

/** The state that the parts of the tool share. */
export const workbench = {
  reset: (): void => useWorkbench.setState(blank),
  moveCursor: (cursorId: number | undefined): void => useWorkbench.setState({ cursorId }),
  openForm: (): void => useWorkbench.setState({ isFormOpen: true }),
  closeForm: (): void => useWorkbench.setState({ isFormOpen: false }),
  announce: (announcement: string): void => useWorkbench.setState({ announcement }),
  saveDraft: (caseId: number, draft: CaseDraft): void =>
    useWorkbench.setState(({ drafts }) => ({ drafts: { ...drafts, [caseId]: draft } })),
  dropDraft: (caseId: number): void =>
    useWorkbench.setState(({ drafts: { [caseId]: _, ...drafts } }) => ({ drafts })),
  startSending: (caseId: number): void =>
    useWorkbench.setState(({ sending, failures }) => ({
      sending: add(sending, caseId),
      failures: failures.filter((failure) => failure.caseId !== caseId),
    })),
  stopSending: (caseId: number): void =>
    useWorkbench.setState(({ sending }) => ({ sending: remove(sending, caseId) })),
  fail: (failure: Failure): void =>
    useWorkbench.setState(({ failures }) => ({
      failures: [...failures.filter(({ caseId }) => caseId !== failure.caseId), failure],
    })),
  forgetFailure: (caseId: number): void =>
    useWorkbench.setState(({ failures }) => ({
      failures: failures.filter((failure) => failure.caseId !== caseId),
    })),
  markClaimedByForm: (caseId: number): void =>
    useWorkbench.setState(({ claimedByForm }) => ({ claimedByForm: add(claimedByForm, caseId) })),
  forgetClaimByForm: (caseId: number): void =>
    useWorkbench.setState(({ claimedByForm }) => ({ claimedByForm: remove(claimedByForm, caseId) })),
};
