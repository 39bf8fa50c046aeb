import { copy } from '@/features/safety/copy';
import { askToBlock, type Person } from '@/features/safety/stores/block-dialog.store';
import { askToReport } from '@/features/safety/stores/report-dialog.store';
import { Button } from '@/ui/button';

const QuietButton = ({ label, onPress }: { label: string; onPress: () => void }) => (
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

/** Report and Block, shown less prominently below the main actions of an ended chat. */
export const PartnerLinks = ({ person, sessionId }: { person: Person; sessionId: string }) => (
  <>
    <QuietButton label={copy.report.link} onPress={() => askToReport(person, { sessionId })} />
    <QuietButton label={copy.block.link} onPress={() => askToBlock(person)} />
  </>
);
