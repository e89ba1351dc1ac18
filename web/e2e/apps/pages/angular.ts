// A profile made of Angular Material, compiled in the page: fields, a select, a checkbox, a slider, a menu and a snack
// bar.

import "@angular/compiler";
import "./angular.css";
import { Component, provideZonelessChangeDetection, signal } from "@angular/core";
import { FormsModule } from "@angular/forms";
import { MatButtonModule } from "@angular/material/button";
import { MatCheckboxModule } from "@angular/material/checkbox";
import { MatFormFieldModule } from "@angular/material/form-field";
import { MatInputModule } from "@angular/material/input";
import { MatMenuModule } from "@angular/material/menu";
import { MatSelectModule } from "@angular/material/select";
import { MatSliderModule } from "@angular/material/slider";
import { bootstrapApplication } from "@angular/platform-browser";
import { report } from "./store";

class Profile {
  readonly name = signal("");
  readonly language = signal("en");
  readonly news = signal(false);
  readonly size = signal(12);
  readonly theme = signal("light");
  readonly saved = signal("");
  readonly languages = [
    { value: "en", label: "English" },
    { value: "pt", label: "Portuguese" },
    { value: "sl", label: "Slovene" },
  ];
  save(): void {
    const state = {
      name: this.name(),
      language: this.language(),
      news: this.news(),
      size: this.size(),
      theme: this.theme(),
    };
    report("angular", state);
    this.saved.set(`Saved for ${state.name}`);
  }
}

const modules = [FormsModule, MatButtonModule, MatCheckboxModule, MatFormFieldModule, MatInputModule];
const App = Component({
  selector: "profile-app",
  imports: [...modules, MatMenuModule, MatSelectModule, MatSliderModule],
  template: `
    <h1>Profile</h1>
    <mat-form-field><mat-label>Name</mat-label><input matInput [(ngModel)]="name" /></mat-form-field>
    <mat-form-field><mat-label>Language</mat-label>
      <mat-select [(ngModel)]="language">
        @for (one of languages; track one.value) { <mat-option [value]="one.value">{{ one.label }}</mat-option> }
      </mat-select>
    </mat-form-field>
    <p><mat-checkbox [(ngModel)]="news">Newsletter</mat-checkbox></p>
    <p>Text size <mat-slider min="8" max="32" step="2">
      <input matSliderThumb aria-label="Text size" [(ngModel)]="size" /></mat-slider></p>
    <button matButton [matMenuTriggerFor]="menu">Theme: {{ theme() }}</button>
    <mat-menu #menu="matMenu">
      <button mat-menu-item (click)="theme.set('light')">Light</button>
      <button mat-menu-item (click)="theme.set('dark')">Dark</button>
    </mat-menu>
    <button matButton="filled" (click)="save()">Save</button>
    <p>{{ saved() }}</p>`,
})(Profile) as typeof Profile;

const root = document.getElementById("root") as HTMLElement;
root.append(document.createElement("profile-app"));
void bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
