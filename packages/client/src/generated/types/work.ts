// Made from openapi.json by `npm run openapi`.
import type { Kind } from './shared-words.ts';

/** What there is to do today. */
export interface Work {
  /** Orders that were placed over 3 days ago and are still open, the oldest first. */
  orders: {
    /** How many there are, up to 1000. */
    count: number;
    /** The first 5 of them. */
    first: readonly WaitingOrder[];
  };
  /** New enquiries, the oldest first. */
  enquiries: {
    /** How many there are, up to 1000. */
    count: number;
    /** The first 5 of them. */
    first: readonly WaitingEnquiry[];
  };
  /** Listed animals that have been in care for over 60 days, the longest first. */
  longInCare: {
    /** How many there are, up to 1000. */
    count: number;
    /** The first 5 of them. */
    first: readonly WaitingAnimal[];
  };
  /** Listed animals without a photo. */
  withoutPhoto: {
    /** How many there are, up to 1000. */
    count: number;
    /** The first 5 of them. */
    first: readonly AnimalWithoutPhoto[];
  };
  /**
   * Animals in quarantine, in medical care or on hold whose last day has come, the longest first.
   */
  endedHolds: {
    /** How many there are, up to 1000. */
    count: number;
    /** The first 5 of them. */
    first: readonly EndedHold[];
  };
  /** Imports of the last 7 days with rejected rows, the latest first. */
  imports: {
    /** How many there are, up to 1000. */
    count: number;
    /** The first 5 of them. */
    first: readonly IncompleteImport[];
  };
  /**
   * Webhooks that fail, or that the service has disabled: for keys with the scope `admin` alone.
   */
  webhooks?:
    | {
        /** How many there are, up to 1000. */
        count: number;
        /** The first 5 of them. */
        first: readonly FailingWebhook[];
      }
    | undefined;
  /**
   * Channels whose last file was not sent, or that the service has disabled: for keys with the
   * scope `admin` alone.
   */
  channels?:
    | {
        /** How many there are, up to 1000. */
        count: number;
        /** The first 5 of them. */
        first: readonly StoppedChannel[];
      }
    | undefined;
}

/** Orders that were placed over 3 days ago and are still open, the oldest first. */
export interface WaitingOrder {
  /** Id of the order. */
  id: number;
  /** Id of the animal. */
  petId: number;
  /** Its name. */
  petName: string;
  /** Its status. */
  status: 'placed' | 'approved';
  /** When the order was placed, in UTC. */
  placedAt: string;
}

/** New enquiries, the oldest first. */
export interface WaitingEnquiry {
  /** Id of the enquiry. */
  id: number;
  /** Id of the animal. */
  petId: number;
  /** Its name; null if it was removed. */
  petName: string | null;
  /** When the enquiry came, in UTC. */
  receivedAt: string;
}

/** Listed animals that have been in care for over 60 days, the longest first. */
export interface WaitingAnimal {
  /** Id of the animal. */
  petId: number;
  /** Its name. */
  petName: string;
  /** The date since which it waits. */
  since: string;
}

/** Listed animals without a photo. */
export interface AnimalWithoutPhoto {
  /** Id of the animal. */
  petId: number;
  /** Its name. */
  petName: string;
  /** Its status. */
  status: 'available' | 'pending';
}

/**
 * Animals in quarantine, in medical care or on hold whose last day has come, the longest first.
 */
export interface EndedHold {
  /** Id of the animal. */
  petId: number;
  /** Its name. */
  petName: string;
  /** The last day. */
  careUntil: string;
}

/** Imports of the last 7 days with rejected rows, the latest first. */
export interface IncompleteImport {
  /** Id of the import. */
  id: number;
  /** When it ended, in UTC. */
  endedAt: string;
  /** Rows that could not become animals. */
  rejected: number;
}

/**
 * Webhooks that fail, or that the service has disabled: for keys with the scope `admin` alone.
 */
export interface FailingWebhook {
  /** Id of the webhook. */
  id: number;
  /** Where events are sent. */
  url: string;
  /** When the first attempt failed since the last success. */
  failingSince: string | null;
  /** Why it is disabled; null while it is enabled. */
  disabledReason: 'requested' | 'gone' | 'failing' | 'copied' | 'key' | null;
}

/**
 * Channels whose last file was not sent, or that the service has disabled: for keys with the
 * scope `admin` alone.
 */
export interface StoppedChannel {
  /** Id of the channel. */
  id: number;
  /** The place. */
  kind: Kind;
  /** Why its last file was not sent. */
  problem: string | null;
  /** Why it is disabled; null while it is enabled. */
  disabledReason: 'requested' | 'sign_in' | 'host_key' | 'copied' | null;
}
