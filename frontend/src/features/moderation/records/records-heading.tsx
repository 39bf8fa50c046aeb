/** The heading of the audit, the blocked images or the figures. */
export const RecordsHeading = ({ title, lead }: { title: string; lead?: string }) => (
  <div className="grid gap-1">
    <h2 className="text-xl font-bold">{title}</h2>
    {lead ? <p className="text-base text-muted-foreground">{lead}</p> : null}
  </div>
);
