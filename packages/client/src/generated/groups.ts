// Made from openapi.json by `npm run openapi`.
import { Events } from '../events.ts';
import { Pets } from '../pets.ts';
import type { Transport } from '../transport.ts';
import { AlertOperations } from './operations/alerts.ts';
import { AnimalOperations } from './operations/animals.ts';
import { AuditOperations } from './operations/audit.ts';
import { CategoryOperations } from './operations/categories.ts';
import { ChannelOperations } from './operations/channels.ts';
import { EnquiryOperations } from './operations/enquiries.ts';
import { ImportOperations } from './operations/imports.ts';
import { KeyOperations } from './operations/keys.ts';
import { ListingOperations } from './operations/listings.ts';
import { OrderOperations } from './operations/orders.ts';
import { PersonOperations } from './operations/people.ts';
import { StayReportOperations } from './operations/reports.ts';
import { ShopOperations } from './operations/shop.ts';
import { StaffOperations } from './operations/staff.ts';
import { StatsOperations } from './operations/stats.ts';
import { TasksOperations } from './operations/tasks.ts';
import { UsageOperations } from './operations/usage.ts';
import { WebhookOperations } from './operations/webhooks.ts';
import { WorkOperations } from './operations/work.ts';

/** The operations of the service, by what they are about. */
export class Groups {
  readonly pets: Pets;
  readonly animals: AnimalOperations;
  readonly reports: StayReportOperations;
  readonly categories: CategoryOperations;
  readonly listings: ListingOperations;
  readonly imports: ImportOperations;
  readonly orders: OrderOperations;
  readonly work: WorkOperations;
  readonly enquiries: EnquiryOperations;
  readonly alerts: AlertOperations;
  readonly channels: ChannelOperations;
  readonly shop: ShopOperations;
  readonly events: Events;
  readonly webhooks: WebhookOperations;
  readonly keys: KeyOperations;
  readonly people: PersonOperations;
  readonly staff: StaffOperations;
  readonly audit: AuditOperations;
  readonly tasks: TasksOperations;
  readonly usage: UsageOperations;
  readonly stats: StatsOperations;

  constructor(transport: Transport) {
    this.pets = new Pets(transport);
    this.animals = new AnimalOperations(transport);
    this.reports = new StayReportOperations(transport);
    this.categories = new CategoryOperations(transport);
    this.listings = new ListingOperations(transport);
    this.imports = new ImportOperations(transport);
    this.orders = new OrderOperations(transport);
    this.work = new WorkOperations(transport);
    this.enquiries = new EnquiryOperations(transport);
    this.alerts = new AlertOperations(transport);
    this.channels = new ChannelOperations(transport);
    this.shop = new ShopOperations(transport);
    this.events = new Events(transport);
    this.webhooks = new WebhookOperations(transport);
    this.keys = new KeyOperations(transport);
    this.people = new PersonOperations(transport);
    this.staff = new StaffOperations(transport);
    this.audit = new AuditOperations(transport);
    this.tasks = new TasksOperations(transport);
    this.usage = new UsageOperations(transport);
    this.stats = new StatsOperations(transport);
  }
}
