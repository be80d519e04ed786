import"./chunk-ICTTN4C2.js";import{a as e}from"./chunk-ZXUWJKPO.js";import"./chunk-HOQCTQEQ.js";for(let o of document.querySelectorAll("[data-live]"))e(o);
