import{a as e}from"./chunk-V6GEY2TF.js";import"./chunk-ILIUVROU.js";import"./chunk-55N6LIL7.js";import"./chunk-HOQCTQEQ.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
