import"./chunk-ZV76TEMA.js";import{a as e}from"./chunk-55N6LIL7.js";import"./chunk-HOQCTQEQ.js";for(let o of document.querySelectorAll("[data-live]"))e(o);
