/** The operations that webhooks add to a document, named here for the phases that read and run them. */

/** The names of the operations that `webhook` adds. */
export const webhookOperations = {
  create: "createWebhook",
  list: "listWebhooks",
  read: "getWebhook",
  change: "changeWebhook",
  delete: "deleteWebhook",
  enable: "enableWebhook",
  disable: "disableWebhook",
  rotate: "rotateWebhookSecret",
  reveal: "getWebhookSecret",
  recover: "recoverWebhook",
  deliveries: "listWebhookDeliveries",
  delivery: "getWebhookDelivery",
  resend: "resendWebhookDelivery",
} as const;

/** The names of the resources that `webhook` adds. */
export const webhookResource = "Webhook";
export const deliveryResource = "WebhookDelivery";
