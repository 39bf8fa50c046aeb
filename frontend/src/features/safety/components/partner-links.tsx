import { copy } from '@/features/safety/copy';
import { askToBlock, type Person } from '@/features/safety/stores/block-dialog.store';
import { askToReport } from '@/features/safety/stores/report-dialog.store';
import { Button } from '@/ui/button';

const Link = ({ label, onPress }: { label: string; onPress: () => void }) => (
  <Button
    variant="ghost"
    size="sm"
    aria-haspopup="dialog"
    className="text-muted-foreground"
    onClick={onPress}
  >
    {label}
  </Button>
);

/** The quiet links below the actions of an ended chat. */
export const PartnerLinks = ({ person, sessionId }: { person: Person; sessionId: string }) => (
  <>
    <Link label={copy.report.link} onPress={() => askToReport(person, { sessionId })} />
    <Link label={copy.block.link} onPress={() => askToBlock(person)} />
  </>
);
