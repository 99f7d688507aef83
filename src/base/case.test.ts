/** A name is found in paths, columns and sentences as people write it there, whatever its plural; no other name is taken for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { camelCase, kebabCase, plural, snakeCase, withArticle } from "./case.ts";

test("names in other places", () => {
  const rows: readonly (readonly [name: string, kebab: string, snake: string, camel: string])[] = [
    ["Parcel", "parcel", "parcel", "parcel"],
    ["ParcelLocker", "parcel-locker", "parcel_locker", "parcelLocker"],
    ["HTTPRoute2", "http-route2", "http_route2", "httpRoute2"],
    ["Parcel Lockers", "parcel-lockers", "parcel_lockers", "parcelLockers"],
    ["", "", "", ""],
  ];
  for (const [name, ...expected] of rows)
    assert.deepEqual([kebabCase(name), snakeCase(name), camelCase(name)], expected);
});

test("plurals", () => {
  const rows: Readonly<Record<string, string>> = {
    Parcel: "Parcels", Box: "Boxes", City: "Cities", Day: "Days", Branch: "Branches", Address: "Addresses",
    Analysis: "Analyses", Person: "People", SalesPerson: "SalesPeople", Series: "Series", Shelf: "Shelves",
    DeliveryAddress: "DeliveryAddresses", Bus: "Buses", Quiz: "Quizzes", "delivery-day": "delivery-days", Recipe: "Recipes",
  }; // biome-ignore format: a table
  for (const [one, many] of Object.entries(rows)) assert.equal(plural(one), many);
});

test("articles are those that are said", () => {
  for (const said of [
    "a Parcel",
    "an Item",
    "an Order",
    "a User",
    "a Unit",
    "an Upload",
    "an Hour",
    "a House",
    "a Euro",
  ]) {
    assert.equal(withArticle(said.replace(/^an? /, "")), said);
  }
});
