/**
 * The names of all migrations, in order. What they do is loaded only by a start that has some of it to do, and almost every start finds
 * the newest layout.
 */
export const migrationNames = [
  '001_records',
  '002_activity',
  '003_audit_changed_by',
  '004_server_health',
  '005_spend_logs_filters',
  '006_spend_logs_words',
  '007_spend_logs_trace',
  '008_a2a_owners',
  '009_spend_logs_once',
  '010_replica_messages',
  '011_model_group',
  '012_cache_tokens',
  '020_alerts',
  '030_page_sessions',
  '031_audit_people',
  '032_refused_calls',
  '095_call_contents',
  '105_records_listed',
  '106_log_days',
  '107_daily_owners',
  '113_spend_logs_ordered_days',
  '114_spend_logs_magnitude',
  '115_spend_logs_present',
  '116_incoming_lines',
] as const;
export type MigrationName = (typeof migrationNames)[number];

/** The layout that these migrations made, compared with that of this version. @param run names of migrations, in order */
export function layoutOf(run: readonly string[]): 'earlier' | 'current' | 'later' {
  if (run.some((it, at) => it !== migrationNames[at])) return 'later';
  return run.length === migrationNames.length ? 'current' : 'earlier';
}
