// The names of the records in the OpenAPI document.
import type { z } from 'zod';
import { errorBody, errorDetail, insufficientScopeBody } from '#schemas/errors.ts';
import { activityLogEntryResource } from '#schemas/resources/activity-log.ts';
import { availabilityScheduleResource, busyTimeResource } from '#schemas/resources/availability.ts';
import { contactResource, customFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { paginationEnvelope } from '#schemas/resources/envelope.ts';
import { availableTimeResource, eventTypeLocation, eventTypeResource } from '#schemas/resources/event-type.ts';
import { groupResource } from '#schemas/resources/group.ts';
import { inviteePayload, inviteeResource, noShowResource, trackingResource } from '#schemas/resources/invitee.ts';
import { meetingRecapResource, transcriptResource } from '#schemas/resources/meeting-recap.ts';
import {
  publicContactResource,
  publicDefinitionResource,
  publicEventTypeResource,
  publicMembershipResource,
  publicOrganizationResource,
  publicRecapEvent,
  publicRecapListItem,
  publicRecapResource,
  publicScheduledEventResource,
  publicTranscriptResource,
  publicUserResource,
} from '#schemas/resources/public-form.ts';
import { organizationResource } from '#schemas/resources/organization.ts';
import { invitationResource } from '#schemas/resources/organization-invitation.ts';
import { routingFormResource, routingFormSubmissionResource, routingResult } from '#schemas/resources/routing-form.ts';
import { schedulingLinkResource } from '#schemas/resources/scheduling-link.ts';
import { cancellationResource, scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { membershipResource, userResource } from '#schemas/resources/user.ts';
import { webhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import { json } from '#schemas/wire.ts';

/** As the specification calls them, where it does. */
export const schemaNames: Readonly<Record<string, z.ZodType>> = {
  ActivityLogEntry: activityLogEntryResource,
  AvailabilitySchedule: availabilityScheduleResource,
  AvailableTime: availableTimeResource,
  BusyTime: busyTimeResource,
  Cancellation: cancellationResource,
  Contact: contactResource,
  CustomFieldDefinition: customFieldDefinitionResource,
  ErrorResponse: errorBody,
  ErrorResponseDetailsItem: errorDetail,
  EventType: eventTypeResource,
  EventTypeLocation: eventTypeLocation,
  Group: groupResource,
  InsufficientScope: insufficientScopeBody,
  Invitee: inviteeResource,
  InviteeNoShow: noShowResource,
  InviteePayload: inviteePayload,
  InviteeTracking: trackingResource,
  JsonValue: json,
  MeetingRecap: meetingRecapResource,
  MeetingRecapEvent: publicRecapEvent,
  MeetingRecapListItem: publicRecapListItem,
  Organization: organizationResource,
  OrganizationInvitation: invitationResource,
  OrganizationMembership: membershipResource,
  Pagination: paginationEnvelope,
  PublicContact: publicContactResource,
  PublicCustomFieldDefinition: publicDefinitionResource,
  PublicEventType: publicEventTypeResource,
  PublicMeetingRecap: publicRecapResource,
  PublicOrganization: publicOrganizationResource,
  PublicOrganizationMembership: publicMembershipResource,
  PublicScheduledEvent: publicScheduledEventResource,
  PublicTranscript: publicTranscriptResource,
  PublicUser: publicUserResource,
  RoutingForm: routingFormResource,
  RoutingFormSubmission: routingFormSubmissionResource,
  RoutingResult: routingResult,
  ScheduledEvent: scheduledEventResource,
  SchedulingLink: schedulingLinkResource,
  Transcript: transcriptResource,
  User: userResource,
  WebhookSubscription: webhookSubscriptionResource,
};
