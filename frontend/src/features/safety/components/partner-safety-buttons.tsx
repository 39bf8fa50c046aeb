import { copy } from '@/features/safety/copy';
import { openBlockDialog, type Person } from '@/features/safety/stores/block-dialog.store';
import { openReportDialog } from '@/features/safety/stores/report-dialog.store';
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
export const PartnerSafetyButtons = ({ person, sessionId }: { person: Person; sessionId: string }) => (
  <>
    <QuietButton label={copy.report.link} onPress={() => openReportDialog(person, { sessionId })} />
    <QuietButton label={copy.block.link} onPress={() => openBlockDialog(person)} />
  </>
);
