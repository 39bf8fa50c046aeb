import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Conduct1763640800000 implements MigrationInterface {
  readonly name = 'Conduct1763640800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Ids of cases, reports, sanctions, appeals, notices and blocked images.
      CREATE SEQUENCE conduct_ids AS bigint;

      -- Read models of the module standings, written from the event streams conduct-<user id>.
      CREATE TABLE sanctions (
        id bigint PRIMARY KEY,
        user_id bigint NOT NULL,
        kind text NOT NULL CHECK (kind IN ('suspended', 'banned')),
        rule text NOT NULL,
        starts_at timestamptz NOT NULL,
        -- NULL for a sanction without an end.
        until timestamptz,
        notice_id bigint NOT NULL,
        case_id bigint,
        is_automatic boolean NOT NULL,
        -- The sanction of an earlier account with the same device or e-mail address that this one repeats.
        inherited_from bigint,
        confirmed_at timestamptz,
        lifted_at timestamptz
      );
      CREATE INDEX sanctions_user_idx ON sanctions (user_id);

      -- Users who are or were restricted. The sanction is the gravest one that was not lifted; it may have ended.
      CREATE TABLE standings (
        user_id bigint PRIMARY KEY,
        sanction_kind text CHECK (sanction_kind IN ('suspended', 'banned')),
        sanctioned_at timestamptz,
        sanctioned_until timestamptz,
        sanction_notice_id bigint,
        -- When the user was asked for their age. NULL without an open question.
        age_asked_at timestamptz,
        age_notice_id bigint,
        -- A flagged user is matched only with other flagged users.
        flagged_at timestamptz,
        flagged_until timestamptz,
        flag_notice_id bigint,
        -- A legal hold: the user's data must not be erased.
        is_held boolean NOT NULL DEFAULT false
      );

      -- Read models of the module conduct, written from the same streams.
      CREATE TABLE conduct_cases (
        id bigint PRIMARY KEY,
        user_id bigint NOT NULL,
        -- A decided case waits for a moderator again if it has an open appeal or an unconfirmed ban.
        state text NOT NULL CHECK (state IN ('open', 'escalated', 'decided')),
        kind text NOT NULL CHECK (kind IN ('reports', 'finding', 'appeal', 'confirmation')),
        -- The gravest finding of the service itself, such as a stated age. NULL without one.
        finding text,
        -- The version of the user's stream. A decision that was based on an older version is refused.
        version integer NOT NULL,
        is_automatic boolean NOT NULL DEFAULT false,
        opened_at timestamptz NOT NULL,
        claimed_by bigint,
        claimed_until timestamptz,
        escalated_by bigint,
        decided_at timestamptz,
        -- NULL for automatic decisions.
        decided_by bigint,
        outcome text,
        rule text
      );
      CREATE INDEX conduct_cases_user_idx ON conduct_cases (user_id);
      CREATE INDEX conduct_cases_waiting_idx ON conduct_cases (opened_at) WHERE state <> 'decided';
      CREATE INDEX conduct_cases_decided_idx ON conduct_cases (decided_at);

      CREATE TABLE reports (
        id bigint PRIMARY KEY,
        case_id bigint NOT NULL,
        user_id bigint NOT NULL,
        reporter_id bigint NOT NULL,
        -- Reporters of the case who share a device have the same value, and count as one.
        counts_as bigint NOT NULL,
        -- 0 for unreliable reporters, whose reports do not count towards a flag or a suspension; otherwise 1.
        weight smallint NOT NULL,
        category text NOT NULL,
        place text NOT NULL CHECK (place IN ('random_chat', 'private_chat')),
        -- NULL for private chats.
        session_id text,
        -- When the chat took place.
        chat_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        -- The event with the reporter's words and the evidence.
        event_id uuid NOT NULL,
        decided_at timestamptz,
        outcome text CHECK (outcome IN ('action_taken', 'no_violation'))
      );
      CREATE INDEX reports_case_idx ON reports (case_id);
      CREATE INDEX reports_reporter_idx ON reports (reporter_id, created_at);
      CREATE INDEX reports_user_idx ON reports (user_id);

      CREATE TABLE appeals (
        id bigint PRIMARY KEY,
        case_id bigint NOT NULL,
        user_id bigint NOT NULL,
        -- The user, or a reporter: the recipient of the notice that announced the decision.
        appellant_id bigint NOT NULL,
        notice_id bigint NOT NULL UNIQUE,
        created_at timestamptz NOT NULL,
        -- The event with the appellant's words.
        event_id uuid NOT NULL,
        decided_at timestamptz,
        decided_by bigint,
        outcome text CHECK (outcome IN ('upheld', 'reduced', 'reversed')),
        -- The event with the moderator's answer.
        decision_event_id uuid
      );
      CREATE INDEX appeals_case_idx ON appeals (case_id);

      CREATE TABLE notices (
        id bigint PRIMARY KEY,
        recipient_id bigint NOT NULL,
        kind text NOT NULL,
        created_at timestamptz NOT NULL,
        rule text,
        -- The kind and the time of the reported chat.
        place text,
        place_at timestamptz,
        is_automatic boolean NOT NULL,
        starts_at timestamptz,
        until timestamptz,
        case_id bigint,
        sanction_id bigint,
        report_id bigint,
        report_outcome text,
        is_appealable boolean NOT NULL,
        -- The stream and the event with the text of the notice, if it has one.
        stream_id text,
        event_id uuid
      );
      CREATE INDEX notices_recipient_idx ON notices (recipient_id, id);

      -- Read model of the streams moderator-<user id>.
      CREATE TABLE moderator_actions (
        -- Global position of the event.
        id bigint PRIMARY KEY,
        moderator_id bigint NOT NULL,
        action text NOT NULL,
        case_id bigint,
        user_id bigint,
        image_id bigint,
        created_at timestamptz NOT NULL
      );
      CREATE INDEX moderator_actions_moderator_idx ON moderator_actions (moderator_id, id);

      -- Read model of the streams image-<sha256>.
      CREATE TABLE blocked_images (
        id bigint PRIMARY KEY,
        sha256 text NOT NULL UNIQUE,
        -- A difference hash, for the near matches of a later release.
        dhash text,
        rule text NOT NULL,
        case_id bigint,
        moderator_id bigint NOT NULL,
        created_at timestamptz NOT NULL
      );

      -- This table and the next three are not read models: no projection writes them.
      CREATE TABLE notices_seen (
        notice_id bigint PRIMARY KEY,
        seen_at timestamptz NOT NULL
      );
      -- Accounts by the SHA-256 of the device cookie.
      CREATE TABLE devices (
        device_hash text NOT NULL,
        user_id bigint NOT NULL,
        first_seen_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        PRIMARY KEY (device_hash, user_id)
      );
      CREATE INDEX devices_user_idx ON devices (user_id);
      CREATE INDEX devices_seen_idx ON devices (seen_at);
      -- Devices, e-mail addresses (as HMAC) and images of sanctioned users.
      CREATE TABLE ban_keys (
        kind text NOT NULL CHECK (kind IN ('device', 'email', 'image')),
        key_hash text NOT NULL,
        sanction_id bigint NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (kind, key_hash, sanction_id)
      );
      CREATE INDEX ban_keys_expires_idx ON ban_keys (expires_at);
      -- Images in the evidence of a case. Their files are kept, even after the images expire or are removed.
      CREATE TABLE upload_holds (
        key text NOT NULL,
        case_id bigint NOT NULL,
        PRIMARY KEY (key, case_id)
      );
      CREATE INDEX upload_holds_case_idx ON upload_holds (case_id);

      ALTER TABLE users ADD COLUMN is_moderator boolean NOT NULL DEFAULT false;
      ALTER TABLE uploads ADD COLUMN sha256 text, ADD COLUMN dhash text;
      ALTER TABLE chat_history ADD COLUMN ended_at timestamptz;
    `);
    // Only chats that ended recently can be reported, so an older chat without ChatEnded may get any past time as
    // its end: here its start. A chat of the last 3 days without ChatEnded may still be running and stays NULL.
    await queryRunner.query(`
      UPDATE chat_history SET ended_at = COALESCE(
        (SELECT max(e.occurred_at) FROM events e
         WHERE e.stream_id = chat_history.stream_id AND e.type = 'ChatEnded'),
        CASE WHEN created_at < now() - interval '3 days' THEN created_at END)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE chat_history DROP COLUMN ended_at;
      ALTER TABLE uploads DROP COLUMN sha256, DROP COLUMN dhash;
      ALTER TABLE users DROP COLUMN is_moderator;
      DROP TABLE upload_holds, ban_keys, devices, notices_seen, blocked_images, moderator_actions, notices, appeals,
        reports, conduct_cases, standings, sanctions;
      DROP SEQUENCE conduct_ids;
    `);
  }
}
